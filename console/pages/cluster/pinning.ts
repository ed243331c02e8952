/** Pins of whoever reads a page of a map or queue. */
import { type StructureKind, structureHref } from '../../../views/management/cluster/structures.tsx';
import { textFor } from '../../http/display/presentation.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

/** @returns whether the form was one that pins, and has been taken */
export async function pinned(
  ctx: PageContext,
  { run, goTo }: PageTools,
  kind: StructureKind,
  name: string,
): Promise<boolean> {
  const act = ctx.state.form.get('do');
  if (act !== 'pin' && act !== 'unpin') return false;
  await run(ctx, act === 'pin' ? 'putPin' : 'deletePin', { params: { kind: `${kind}s`, name } });
  goTo(ctx, `${structureHref(kind, name)}?done=${act}`);
  return true;
}

/** What the page says after that. */
export function pinNotice(ctx: PageContext): string | undefined {
  const t = textFor(ctx);
  const done = ctx.state.form.get('done');
  if (done === 'pin') return t('pins.pinned');
  return done === 'unpin' ? t('pins.unpinned') : undefined;
}
