/** How pages are shown to whoever asks for one: found once for a request, when its page is made. */
import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { Language } from '../../../views/elements/moment.ts';
import { type Branding, type Presentation, usualPresentation } from '../../../views/presentation.ts';
import { type Translate, textsIn } from '../../../views/texts/text.ts';
import { browserZoneOf, chosenIn, languageOf } from './display-choice.ts';

export interface PresentationDeps {
  /** Of this installation, as it is now. */
  readonly branding: () => Branding;
}

/** By request: the library has a context of its own for the pages that it asks for. */
const makers = new WeakMap<IncomingMessage, () => Presentation>();

/** Before all pages. */
export function createPresentation({ branding }: PresentationDeps): Middleware {
  return (ctx, next) => {
    makers.set(ctx.req, () => shownTo(ctx, branding()));
    return next();
  };
}

function shownTo(ctx: Context, branding: Branding): Presentation {
  const { zone: chosenZone, language: chosen, ...display } = chosenIn(ctx);
  const zone = chosenZone ?? browserZoneOf(ctx);
  const language = chosen ?? acceptedLanguage(ctx) ?? branding.language ?? usualPresentation.language;
  return { branding, ...display, zone, chosenZone, language, canChooseLanguage: ctx.method === 'GET' };
}

/** The first of ours that the browser names (RFC 9110 §12.5.4): whoever takes any has asked for none. */
function acceptedLanguage(ctx: Context): Language | undefined {
  const names = ctx.acceptsLanguages() as readonly string[];
  return names.map((name) => languageOf(name.toLowerCase().split('-')[0])).find((one) => one !== undefined);
}

/** For the page that is being made. */
export function presentationOf({ req }: Pick<Context, 'req'>): Presentation {
  return makers.get(req)?.() ?? usualPresentation;
}

/** What the page that is being made says, in the language of whoever asks for it. */
export function textFor(ctx: Pick<Context, 'req'>): Translate {
  return textsIn(presentationOf(ctx).language);
}
