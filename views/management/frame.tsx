/** What all management pages have in common: the pages that the reader may open, beside the content. */

import type { ComponentChildren } from 'preact';
import { Form } from '../elements/form.tsx';
import { Brand, Html, PageEnd, type SignOutForm } from '../layout.tsx';
import { type Presentation, PresentationContext, usePresentation } from '../presentation.ts';
import { useText } from '../texts/elements.tsx';
import type { WordKey } from '../texts/text.ts';
import { BarFigures, type BarModel } from './bar.tsx';

export interface FrameModel {
  /** Who is signed in. */
  readonly username: string;
  readonly signOut: SignOutForm;
  readonly bar?: BarModel | undefined;
  /** The pages that the reader may open. */
  readonly groups: readonly FrameGroup[];
  /** Of a page that was come to by the first steps: leads back to them. */
  readonly guide?: Guide | undefined;
  /** When the page was made. */
  readonly now: Date;
  readonly presentation: Presentation;
}

export interface Guide {
  readonly href: string;
  readonly csrf: string;
}

export interface FrameGroup {
  readonly title: WordKey;
  /** The page that lists those of the group. */
  readonly href: string;
  readonly isCurrent: boolean;
  readonly pages: readonly FrameLink[];
}

export interface FrameLink {
  readonly title: WordKey;
  readonly href: string;
  readonly isCurrent: boolean;
  /** Typed after `g`, it leads there. */
  readonly letter?: string | undefined;
}

export const searchHref = '/observe/search';

/** One step of the path above a title. */
export interface Crumb {
  readonly title: string;
  readonly href: string;
}

interface ManagementPageProps {
  readonly frame: FrameModel;
  /** Heading of the page and first part of the document's title. */
  readonly title: string;
  readonly path?: readonly Crumb[] | undefined;
  /** Beside the heading: a state, and what can be done first. */
  readonly state?: ComponentChildren;
  readonly acts?: ComponentChildren;
  readonly hasProblem?: boolean | undefined;
  readonly children: ComponentChildren;
}

export function ManagementPage({
  frame,
  title,
  path = [],
  state,
  acts,
  hasProblem,
  children,
}: ManagementPageProps) {
  return (
    <Framed frame={frame} title={title} hasProblem={hasProblem}>
      <header class="work-head">
        {path.length > 0 && <Path path={path} groups={frame.groups} />}
        <div class="work-title">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {state}
          {acts && <div class="actions">{acts}</div>}
        </div>
      </header>
      {children}
    </Framed>
  );
}

interface FramedProps {
  readonly frame: FrameModel;
  /** First part of the document's title. */
  readonly title: string;
  readonly hasProblem?: boolean | undefined;
  readonly children: ComponentChildren;
}

const managementScripts = ['times.js', 'keys.js', 'copy.js', 'over.js', 'asking.js'];

/** The frame around a page that has a heading of its own. */
export function Framed({ frame, title, hasProblem, children }: FramedProps) {
  const t = useText();
  const { language } = usePresentation();
  return (
    <PresentationContext.Provider value={{ ...frame.presentation, language }}>
      <Html
        title={hasProblem ? t('page.problem', { title }) : title}
        scripts={managementScripts}
        style="management.css"
      >
        <body class="managed">
          <a class="skip" href="#content">
            {t('frame.skipContent')}
          </a>
          <Bar {...frame} />
          <Pages {...frame} />
          <main id="content" class="work">
            {frame.guide && <BackToGuide {...frame.guide} />}
            {children}
          </main>
          <Groups {...frame} />
          <PageEnd />
        </body>
      </Html>
    </PresentationContext.Provider>
  );
}

function Bar({ username, bar, signOut: { action, csrf } }: FrameModel) {
  const t = useText();
  return (
    <header class="bar">
      <a class="bar-home" href="/">
        <Brand />
      </a>
      {bar && <BarFigures {...bar} />}
      <search>
        <form method="get" action={searchHref} class="bar-search">
          <label for="bar-q" class="unseen">
            {t('frame.searchEverything')}
          </label>
          <input
            id="bar-q"
            name="q"
            type="search"
            placeholder={t('frame.searchEverything')}
            aria-keyshortcuts="/ Control+K"
            autocomplete="off"
            spellcheck={false}
          />
          <input type="hidden" name="go" value="best" />
        </form>
      </search>
      <a class="bar-find" href={searchHref}>
        {t('common.search')}
      </a>
      <a class="bar-user" href="/account">
        <bdi>{username}</bdi>
        <span class="unseen">{t('frame.yourAccount')}</span>
      </a>
      <Form action={action} hidden={{ csrf, logout: 'yes' }}>
        <button type="submit" class="button quiet">
          {t('act.signOut')}
        </button>
      </Form>
      <a data-keys="help" data-close={t('frame.close')} href={`${searchHref}#keys`} hidden>
        {t('frame.keys')}
      </a>
    </header>
  );
}

function BackToGuide({ href, csrf }: Guide) {
  const t = useText();
  return (
    <aside class="guide" aria-label={t('common.getStarted')}>
      <a href={href}>{t('frame.backToSteps')}</a>
      <Form action={href} hidden={{ csrf, do: 'leave' }}>
        <button type="submit" class="button quiet small">
          {t('frame.leaveSteps')}
        </button>
      </Form>
    </aside>
  );
}

interface PathProps extends Pick<FrameModel, 'groups'> {
  readonly path: readonly Crumb[];
}

/** It begins with the group, where the page that lists a group is not in it already. */
function Path({ path, groups }: PathProps) {
  const t = useText();
  const group = groups.find(({ isCurrent, href }) => isCurrent && path.every((crumb) => crumb.href !== href));
  const crumbs = group ? [{ title: t(group.title), href: group.href }, ...path] : path;
  return (
    <nav class="path" aria-label={t('frame.wherePage')}>
      <ol>
        {crumbs.map(({ title, href }) => (
          <li key={href}>
            <a href={href}>
              <bdi>{title}</bdi>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The column of a wide window. */
function Pages({ groups }: FrameModel) {
  const t = useText();
  return (
    <nav class="pages" aria-label={t('common.pages')}>
      {groups.map(({ title, href, pages }) => (
        <div key={title} class="pages-group">
          {pages[0]?.href !== href && <p class="pages-title">{t(title)}</p>}
          <ul>
            {pages.map((page) => (
              <li key={page.href}>
                <PageLink {...page} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** The bar at the bottom of a phone. */
function Groups({ groups }: FrameModel) {
  const t = useText();
  return (
    <nav class="groups" aria-label={t('frame.groupsOfPages')}>
      {groups.map(({ title, href, isCurrent }) => (
        <PageLink key={href} title={title} href={href} isCurrent={isCurrent} />
      ))}
    </nav>
  );
}

function PageLink({ title, href, isCurrent, letter }: FrameLink) {
  const t = useText();
  return (
    <a href={href} aria-current={isCurrent ? 'page' : undefined} data-go={letter}>
      {t(title)}
    </a>
  );
}
