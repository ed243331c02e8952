import type { Licence } from '../licences.ts';
import { Tile } from './tile.tsx';

export function LicenceFacts({ licence }: { readonly licence: Licence | undefined }) {
  if (!licence) return <p class="empty">The console has sent no licence since this dashboard was started.</p>;
  const { holder, edition, id, expiresAt } = licence;
  return (
    <dl class="tiles">
      <Tile name="Edition" value={edition} />
      <Tile name="Holder" value={holder} />
      <Tile name="Valid until" value={expiresAt === undefined ? 'No end' : dayOf(expiresAt)} />
      <Tile name="Id" value={id} />
    </dl>
  );
}

function dayOf(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().slice(0, 10);
}
