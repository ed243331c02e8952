/** The first cell of a row: what people see of a thing, leading to it, with its id where that is another. */
import { ListId } from './list-id.tsx';

interface NameProps {
  readonly id: string;
  readonly displayName: string | null;
  readonly href: string;
}

export function NameCell({ id, displayName, href }: NameProps) {
  return (
    <>
      <a href={href}>{displayName === null ? <ListId>{id}</ListId> : <bdi>{displayName}</bdi>}</a>
      {displayName !== null && (
        <>
          {' '}
          <ListId class="muted">{id}</ListId>
        </>
      )}
    </>
  );
}
