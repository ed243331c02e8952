/** Liveness and readiness, without detail (S82). */
import type { Context } from 'koa';
import type { RelyingParty } from '../identity/relying-party.ts';

export function createProbes({ discover }: Pick<RelyingParty, 'discover'>) {
  let isDraining = false;

  return {
    live: (ctx: Context) => answer(ctx, true),
    /** Ready once the console has been found, until the stop. */
    async ready(ctx: Context): Promise<void> {
      const isReady =
        !isDraining &&
        (await discover().then(
          () => true,
          () => false,
        ));
      answer(ctx, isReady);
    },
    drain() {
      isDraining = true;
    },
  };
}

function answer(ctx: Context, isWell: boolean): void {
  ctx.status = isWell ? 200 : 503;
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'text/plain';
  ctx.body = isWell ? 'ok\n' : 'unavailable\n';
}
