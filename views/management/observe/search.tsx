/** Search: what one may see, found by its name, an id of it, or what is to be done. */
import { renderDocument } from '../../layout.tsx';
import { Problem } from '../../message.tsx';
import { Text, useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { Part } from '../detail.tsx';
import { type FrameModel, ManagementPage, searchHref } from '../frame.tsx';

export interface FoundThing {
  readonly name: string;
  /** What it is, where the name does not say it. */
  readonly about?: string | undefined;
  readonly href: string;
}

export interface FoundKind {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly things: readonly FoundThing[];
  /** Where all of them are, when there are more than stand here. */
  readonly allHref?: string | undefined;
}

export interface SearchModel {
  readonly frame: FrameModel;
  readonly query: string;
  readonly kinds: readonly FoundKind[];
  /** What could not be searched. */
  readonly problems: readonly string[];
}

export function renderSearch(model: SearchModel): string {
  return renderDocument(<Search {...model} />, model.frame.presentation);
}

function Search({ frame, query, kinds, problems }: SearchModel) {
  const t = useText();
  return (
    <ManagementPage frame={frame} title={t('common.search')}>
      <form method="get" action={searchHref} class="filters">
        <div class="filter wide">
          <label for="q">{t('search.label')}</label>
          <input id="q" name="q" type="search" value={query} autocomplete="off" spellcheck={false} />
        </div>
        <div class="actions">
          <button type="submit" class="button">
            {t('common.search')}
          </button>
        </div>
      </form>
      {problems.length > 0 && (
        <Problem id="problem">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Problem>
      )}
      {query !== '' && <Found query={query} kinds={kinds} />}
      {query === '' && (
        <>
          <Hints />
          <Keys {...frame} />
        </>
      )}
    </ManagementPage>
  );
}

function Found({ query, kinds }: Pick<SearchModel, 'query' | 'kinds'>) {
  const t = useText();
  if (kinds.length === 0) {
    return (
      <div class="empty">
        <p>
          <Text id="search.nothing" gaps={{ query: <bdi>{query}</bdi> }} />
        </p>
      </div>
    );
  }
  return (
    <>
      {kinds.map(({ id, title, things, allHref }) => (
        <Part
          key={id}
          id={id}
          title={title}
          acts={allHref !== undefined && <a href={allHref}>{t('search.allThatMatch')}</a>}
        >
          <ul class="rows boxed found">
            {things.map(({ name, about, href }) => (
              <li key={href}>
                <a href={href}>
                  <bdi>{name}</bdi>
                </a>
                {about && <bdi class="muted">{about}</bdi>}
              </li>
            ))}
          </ul>
        </Part>
      ))}
    </>
  );
}

function Hints() {
  const t = useText();
  const hints = [
    { typed: 'billing', finds: t('search.hintName') },
    { typed: t('search.typedAct'), finds: t('search.hintAct') },
    { typed: 'orders/a1', finds: t('search.hintEntry') },
    { typed: 'kR3n_x0aQw', finds: t('search.hintId') },
  ];
  return (
    <Part id="hints" title={t('search.whatToType')}>
      <dl class="facts boxed">
        {hints.map(({ typed, finds }) => (
          <div key={typed}>
            <dt>
              <code>{typed}</code>
            </dt>
            <dd>{finds}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

interface Key {
  readonly keys: readonly string[];
  readonly or?: readonly string[];
  readonly does: string;
}

const keysOf = (t: Translate): readonly Key[] => [
  { keys: ['/'], or: [t('search.control'), 'K'], does: t('search.keySearch') },
  { keys: ['n'], does: t('search.keyAdd') },
  { keys: ['e'], does: t('search.keyEdit') },
  { keys: ['j'], or: ['k'], does: t('search.keyRows') },
  { keys: ['x'], does: t('search.keySelect') },
  { keys: ['p'], does: t('search.keyPause') },
  { keys: ['?'], does: t('search.keyAll') },
];

/** Where a script runs: it takes `hidden` away, and the box says whether keys do anything. */
function Keys({ groups }: FrameModel) {
  const t = useText();
  const lettered = groups.flatMap(({ pages }) => pages).filter(({ letter }) => letter !== undefined);
  return (
    <Part id="keys" title={t('frame.keys')} about={t('search.keysAbout')}>
      <dl class="facts boxed">
        {keysOf(t).map(({ keys: pressed, or, does }) => (
          <div key={does}>
            <dt>
              {pressed.map(kbd)}
              {or && (
                <>
                  {t('search.or')} {or.map(kbd)}
                </>
              )}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        {lettered.map(({ title, href, letter = '' }) => (
          <div key={href}>
            <dt>{['g', letter].map(kbd)}</dt>
            <dd>
              <a href={href}>{t(title)}</a>
            </dd>
          </div>
        ))}
      </dl>
      <div class="choice" hidden>
        <input id="keys-choice" type="checkbox" data-keys="choice" />
        <label for="keys-choice">{t('search.keysWork')}</label>
      </div>
    </Part>
  );
}

function kbd(name: string) {
  return (
    <>
      <kbd key={name}>{name}</kbd>{' '}
    </>
  );
}
