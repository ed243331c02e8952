/** How pages are shown to whoever asks for one: found once for a request, when its page is made. */
import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { type Branding, type Presentation, usualPresentation } from '../../../views/presentation.ts';
import { chosenIn } from './display-choice.ts';

export interface PresentationDeps {
  /** Of this installation, as it is now. */
  readonly branding: () => Branding;
}

/** By request: the library has a context of its own for the pages that it asks for. */
const makers = new WeakMap<IncomingMessage, () => Presentation>();

/** Before all pages. */
export function createPresentation({ branding }: PresentationDeps): Middleware {
  return (ctx, next) => {
    makers.set(ctx.req, () => ({ branding: branding(), ...chosenIn(ctx) }));
    return next();
  };
}

/** For the page that is being made. */
export function presentationOf({ req }: Pick<Context, 'req'>): Presentation {
  return makers.get(req)?.() ?? usualPresentation;
}
