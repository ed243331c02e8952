/** Search: what one may see, found by its name, an id of it, or what is to be done. */
import { renderDocument } from '../../layout.tsx';
import { Problem } from '../../message.tsx';
import { useText } from '../../texts/elements.tsx';
import { Part } from '../detail.tsx';
import { type FrameModel, ManagementPage, searchHref } from '../frame.tsx';

export interface FoundThing {
  readonly name: string;
  /** What it is, where the name does not say it. */
  readonly about?: string | undefined;
  readonly href: string;
}

export interface FoundKind {
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

export function renderSearch({ frame, query, kinds, problems }: SearchModel): string {
  return renderDocument(
    <ManagementPage frame={frame} title="Search">
      <form method="get" action={searchHref} class="filters">
        <div class="filter wide">
          <label for="q">Name, id, or what to do</label>
          <input id="q" name="q" type="search" value={query} autocomplete="off" spellcheck={false} />
        </div>
        <div class="actions">
          <button type="submit" class="button">
            Search
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
    </ManagementPage>,
  );
}

function Found({ query, kinds }: Pick<SearchModel, 'query' | 'kinds'>) {
  if (kinds.length === 0) {
    return (
      <div class="empty">
        <p>
          Nothing that you may see is called “<bdi>{query}</bdi>”. Names are found by how they begin.
        </p>
      </div>
    );
  }
  return (
    <>
      {kinds.map(({ title, things, allHref }) => (
        <Part
          key={title}
          id={title.toLowerCase().replaceAll(' ', '-')}
          title={title}
          acts={allHref !== undefined && <a href={allHref}>All that match</a>}
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

const hints = [
  { typed: 'billing', finds: 'what is called so: people, roles, clients, maps, settings, pages' },
  { typed: 'rotate billing', finds: 'what can be done with it' },
  { typed: 'orders/a1', finds: 'the entry a1 of the map orders' },
  { typed: 'kR3n_x0aQw', finds: 'the story of an id: a decision, request, token, grant, session or job' },
];

function Hints() {
  return (
    <Part id="hints" title="What to type">
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

const keys = [
  { keys: ['/'], or: ['Ctrl', 'K'], does: 'search; Enter opens what is meant' },
  { keys: ['n'], does: 'add what the list is of' },
  { keys: ['e'], does: 'edit what the page is of' },
  { keys: ['j'], or: ['k'], does: 'to the next row, or the one before; Enter opens it' },
  { keys: ['?'], does: 'all keys' },
];

/** Where a script runs: it takes `hidden` away, and the box says whether keys do anything. */
function Keys({ groups }: FrameModel) {
  const t = useText();
  const lettered = groups.flatMap(({ pages }) => pages).filter(({ letter }) => letter !== undefined);
  return (
    <Part
      id="keys"
      title="Keys"
      about="They do nothing while you type into a field, and nothing at all without script."
    >
      <dl class="facts boxed">
        {keys.map(({ keys: pressed, or, does }) => (
          <div key={does}>
            <dt>
              {pressed.map(kbd)}
              {or && <>or {or.map(kbd)}</>}
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
        <label for="keys-choice">Keys work in this browser</label>
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
