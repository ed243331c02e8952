/** What all pages have in common. A view is a function from a model to HTML, without script and without state; who asks and why is not known here. */
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Form } from './elements/form.tsx';
import {
  type Presentation,
  PresentationContext,
  productName,
  type Theme,
  usePresentation,
  usualPresentation,
} from './presentation.ts';
import { assetPath } from './static.ts';
import { useText } from './texts/elements.tsx';
import { languages } from './texts/text.ts';

/** A whole document as it is sent. */
export function renderDocument(page: VNode, presentation: Presentation = usualPresentation): string {
  return `<!doctype html>${renderPart(page, presentation)}`;
}

/** A part of a page, as it is sent to one that is open. */
export function renderPart(part: VNode, presentation: Presentation): string {
  return renderToString(
    <PresentationContext.Provider value={presentation}>{part}</PresentationContext.Provider>,
  );
}

interface NarrowPageProps {
  /** Heading of the page and first part of the document's title. */
  readonly title: string;
  /** Names what went wrong first in the document's title, where a screen reader starts. */
  readonly hasProblem?: boolean;
  readonly children: ComponentChildren;
}

/** Sign-in, consent, sign-out and errors: one question, one column, the product beside it. */
export function NarrowPage({ title, hasProblem = false, children }: NarrowPageProps) {
  const t = useText();
  return (
    <Html title={hasProblem ? t('page.problem', { title }) : title}>
      <body class="narrow">
        <header class="banner">
          <Brand />
          <p class="banner-line">{t('page.banner')}</p>
          <img class="banner-rings" src={assetPath('rings.svg')} alt="" width="640" height="640" />
        </header>
        <main class="question">
          <h1>{title}</h1>
          {children}
          <Languages />
        </main>
        <PageEnd />
      </body>
    </Html>
  );
}

/** The other languages; each link leads back here. */
function Languages() {
  const { language, canChooseLanguage } = usePresentation();
  const t = useText();
  if (!canChooseLanguage) return null;
  const others = Object.entries(languages).filter(([id]) => id !== language);
  return (
    <nav class="languages" aria-label={t('page.languages')}>
      {others.map(([id, { name }]) => (
        <a key={id} href={`/language/${id}`} lang={id} hreflang={id} rel="nofollow">
          {name}
        </a>
      ))}
    </nav>
  );
}

interface WidePageProps {
  readonly title: string;
  readonly hasProblem?: boolean;
  /** Who is signed in. */
  readonly username: string;
  readonly signOut: SignOutForm;
  readonly children: ComponentChildren;
}

/** One press signs out: whoever presses the button in this form has been asked enough. */
export interface SignOutForm {
  readonly action: string;
  readonly csrf: string;
}

/** Pages of somebody who is signed in: a bar with their name on top, the content below. Times are in their zone. */
export function WidePage({ title, hasProblem = false, username, signOut, children }: WidePageProps) {
  const { action, csrf } = signOut;
  const t = useText();
  return (
    <Html title={hasProblem ? t('page.problem', { title }) : title} scripts={['times.js']}>
      <body>
        <a class="skip" href="#content">
          {t('page.skip')}
        </a>
        <header class="bar">
          <a class="bar-home" href="/">
            <Brand />
          </a>
          <span class="bar-user">{username}</span>
          <Form action={action} hidden={{ csrf, logout: 'yes' }}>
            <button type="submit" class="button quiet">
              {t('act.signOut')}
            </button>
          </Form>
        </header>
        <main id="content" class="content">
          {children}
        </main>
        <PageEnd />
      </body>
    </Html>
  );
}

interface HtmlProps {
  readonly title: string;
  /** A sheet of ours besides that of all pages. */
  readonly style?: string;
  /** Files of ours that make the page better, and without which it works. */
  readonly scripts?: readonly string[];
  readonly children: ComponentChildren;
}

export function Html({ title, scripts = [], style, children }: HtmlProps) {
  const { branding, theme, density, zone, language } = usePresentation();
  const { name = productName, colours } = branding;
  return (
    <html lang={language} data-zone={zone} class={density}>
      <head>
        <meta charset="utf-8" />
        <title>{`${title} · ${name}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme === 'system' ? 'light dark' : theme} />
        <meta name="robots" content="noindex" />
        <link rel="icon" type="image/svg+xml" href={assetPath('favicon.svg')} />
        <link rel="stylesheet" href={assetPath('style.css')} />
        {style && <link rel="stylesheet" href={assetPath(style)} />}
        <Dark href={assetPath('dark.css')} theme={theme} />
        {colours && <link rel="stylesheet" href={colours.href} />}
        {colours && <Dark href={colours.darkHref} theme={theme} />}
        <link rel="expect" href={`#${endId}`} {...{ blocking: 'render' }} />
        {scripts.map((script) => (
          <script key={script} src={assetPath(script)} defer />
        ))}
      </head>
      {children}
    </html>
  );
}

const endId = 'page-end';

/**
 * Stands last in the body. Nothing is painted before it is there, where the browser knows `rel=expect`: a table without its
 * last rows, or filters without their button, would move when these come.
 */
export function PageEnd() {
  return <span id={endId} hidden />;
}

/** What is otherwise in the dark: where the system says so, always, or never. */
function Dark({ href, theme }: { readonly href: string; readonly theme: Theme }) {
  if (theme === 'light') return null;
  const media = theme === 'system' ? '(prefers-color-scheme: dark)' : undefined;
  return <link rel="stylesheet" href={href} media={media} />;
}

/** The installation by its logo and its name, or the product by its own. */
export function Brand() {
  const { name = productName, logo } = usePresentation().branding;
  return (
    <span class="brand">
      {logo ? (
        <img class="brand-logo" src={logo.href} alt="" width={logo.width} height={logo.height} />
      ) : (
        <img src={assetPath('mark.svg')} alt="" width="32" height="32" />
      )}
      <bdi>{name}</bdi>
    </span>
  );
}
