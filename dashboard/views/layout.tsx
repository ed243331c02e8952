import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

export interface SignedInModel {
  readonly username: string;
  readonly roles: readonly string[];
  /** For the forms of the current session. */
  readonly csrf: string;
  /** Public address of the console, without a trailing slash. */
  readonly consoleUrl: string;
}

interface PageProps {
  readonly title: string;
  /** Undefined on pages that need no sign-in. */
  readonly currentSession?: SignedInModel;
  /** Path of the page, marked in the navigation. */
  readonly here?: string;
  /** Seconds after which a browser without script loads the page anew. */
  readonly refreshSeconds?: number;
  readonly children: ComponentChildren;
}

const productName = 'Cluster Dashboard';

const ConsoleUrl = createContext('');

export function Page({ title, currentSession, here, refreshSeconds, children }: PageProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{`${title} · ${productName}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" type="image/svg+xml" href="/static/mark.svg" />
        <link rel="stylesheet" href="/static/style.css" />
        {refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={`${refreshSeconds}; url=/`} />
          </noscript>
        )}
        {refreshSeconds !== undefined && <script src="/static/live.js" type="module" />}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="bar">
          <a class="brand" href="/">
            <img src="/static/mark.svg" alt="" width="28" height="28" />
            {productName}
          </a>
          {currentSession && <Navigation currentSession={currentSession} here={here} />}
        </header>
        <main id="content" class="content">
          <ConsoleUrl.Provider value={currentSession?.consoleUrl ?? ''}>{children}</ConsoleUrl.Provider>
        </main>
      </body>
    </html>
  );
}

function Navigation({
  currentSession,
  here,
}: {
  readonly currentSession: SignedInModel;
  readonly here: string | undefined;
}) {
  return (
    <>
      <nav class="nav" aria-label="Pages">
        <a href="/" aria-current={here === '/' ? 'page' : undefined}>
          Overview
        </a>
        <a href="/account" aria-current={here === '/account' ? 'page' : undefined}>
          {currentSession.username}
        </a>
        <a href={`${currentSession.consoleUrl}/`}>Console</a>
      </nav>
      <form method="post" action="/logout">
        <CsrfField csrf={currentSession.csrf} />
        <button class="button quiet" type="submit">
          Sign out
        </button>
      </form>
    </>
  );
}

/**
 * To a page of the console, which decides again who may see it.
 *
 * @param path  its segments, as they are
 */
export function ToConsole({
  path,
  children,
}: {
  readonly path: readonly string[];
  readonly children: ComponentChildren;
}) {
  const consoleUrl = useContext(ConsoleUrl);
  return <a href={`${consoleUrl}/${path.map(encodeURIComponent).join('/')}`}>{children}</a>;
}

export function CsrfField({ csrf }: Pick<SignedInModel, 'csrf'>) {
  return <input type="hidden" name="csrf" value={csrf} />;
}
