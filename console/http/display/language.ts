/** `GET /language/:language`: the other language, for this browser, and back to the page with the link. */
import type { Context } from 'koa';
import { chooseDisplay, chosenIn, languageOf } from './display-choice.ts';

/** @param own  origin of the console: nobody is led elsewhere (S35) */
export function createLanguageChoice(own: string, isSecure: boolean) {
  return (ctx: Context): void => {
    const language = languageOf(String(ctx.params.language));
    if (language === undefined) return;
    chooseDisplay(ctx, { ...chosenIn(ctx), language }, isSecure);
    ctx.status = 303;
    ctx.redirect(pathOf(ctx.get('Referer'), own) ?? '/');
  };
}

/** Pages here send it among themselves. */
function pathOf(referer: string, own: string): string | undefined {
  if (!URL.canParse(referer)) return undefined;
  const { origin, pathname, search } = new URL(referer);
  const isBack = origin === own && !pathname.startsWith('//') && !pathname.startsWith('/language/');
  return isBack ? pathname + search : undefined;
}
