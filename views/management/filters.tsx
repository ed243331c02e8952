import { Fragment } from 'preact';
import { safeHref } from '../elements/href.ts';
import { Link } from '../elements/link.tsx';
import { useText } from '../texts/elements.tsx';
import type { Translate, WordKey } from '../texts/text.ts';

export interface FiltersModel {
  /** The list without a filter. */
  readonly action: string;
  /** What is filtered by, as the address says it. */
  readonly asked: Readonly<Record<string, string>>;
  /** What is asked for most, each a link. */
  readonly quick?: readonly QuickFilter[];
  /** What the box looks for. */
  readonly search?: { readonly label: string; readonly value: string } | undefined;
  /** Further boxes, each for a whole name. */
  readonly texts?: readonly FilterText[];
  readonly selects: readonly Select[];
  /** What else the address says. */
  readonly hidden?: Readonly<Record<string, string>>;
}

export interface QuickFilter {
  readonly label: string;
  readonly href: string;
  /** The list is filtered by this and nothing else. */
  readonly isCurrent: boolean;
  /** What it has in common with those that follow. */
  readonly before?: string | undefined;
}

export interface FilterText {
  /** Parameter of the address. */
  readonly name: string;
  readonly label: string;
  /** How such a name is written, in the empty box. */
  readonly example?: string;
  readonly value: string;
}

export interface Select {
  /** Parameter of the address. */
  readonly name: string;
  readonly label: string;
  /** The first stands for no filter. */
  readonly options: readonly Option[];
  readonly value: string;
  /** On a page that asks: each is a sentence, and all of them are read at once. */
  readonly areSentences?: boolean;
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** A filter is part of the address: a page that is filtered can be sent to somebody. */
export function Filters(model: FiltersModel) {
  const { search, texts = [], selects } = model;
  const all = (
    <>
      {model.quick && <QuickFilters quick={model.quick} />}
      <Boxes {...model} />
    </>
  );
  if ((search ? 1 : 0) + texts.length + selects.length < many) return all;
  return (
    <>
      <Fold {...model} />
      <div class="folded">{all}</div>
    </>
  );
}

/** So many boxes fill the first screen of a phone. */
const many = 4;

/** On a phone it opens what follows it; what is within a closed one could not be shown where there is room. */
function Fold({ asked }: Pick<FiltersModel, 'asked'>) {
  const t = useText();
  const n = Object.keys(asked).length;
  return (
    <details class="fold" open={n > 0}>
      <summary>{n === 0 ? t('filters.noneSet') : t('filters.someSet', { n })}</summary>
    </details>
  );
}

/** Whether anything is filtered. */
export function isFiltered({ asked }: Pick<FiltersModel, 'asked'>): boolean {
  return Object.keys(asked).length > 0;
}

interface FilterInWords {
  /** Parameter of the address. */
  readonly name: string;
  /** `Status: Disabled`. */
  readonly words: string;
}

/** What is filtered by no box says, a link from elsewhere does. */
const boxless: Readonly<Record<string, WordKey>> = {
  provider: 'filters.provider',
  client: 'filters.client',
  member: 'filters.member',
  since: 'filters.since',
  until: 'filters.until',
};

/** Each filter that is set, as its box has it. */
export function filtersInWords(
  { asked, search, texts = [], selects }: Pick<FiltersModel, 'asked' | 'search' | 'texts' | 'selects'>,
  t: Translate,
): readonly FilterInWords[] {
  return Object.entries(asked).map(([name, value]) => {
    const select = selects.find((one) => one.name === name);
    const shown = select?.options.find((option) => option.value === value)?.label ?? value;
    const box = name === 'q' ? search : (select ?? texts.find((one) => one.name === name));
    const label = box?.label ?? (boxless[name] ? t(boxless[name]) : name);
    return { name, words: t('filters.inWords', { label, value: shown }) };
  });
}

/** Takes each filter off by itself. */
export function Chips(model: FiltersModel) {
  const t = useText();
  const { action, asked, hidden = {} } = model;
  if (!isFiltered(model)) return null;
  return (
    <ul class="chips" aria-label={t('filters.set')}>
      {filtersInWords(model, t).map(({ name, words }) => {
        const { [name]: _off, ...others } = asked;
        const query = new URLSearchParams({ ...hidden, ...others }).toString();
        return (
          <li key={name}>
            <Link href={query === '' ? action : `${action}?${query}`} class="chip">
              <bdi>{words}</bdi>
              <span aria-hidden="true">×</span>
              <span class="unseen">{t('filters.takeOff')}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function QuickFilters({ quick }: { readonly quick: readonly QuickFilter[] }) {
  const t = useText();
  return (
    <nav class="periods quick" aria-label={t('frame.quickFilters')}>
      {quick.map(({ label, href, isCurrent, before }) => (
        <Fragment key={href}>
          {before && <span class="muted">{before}</span>}
          <a href={href} aria-current={isCurrent ? 'true' : undefined}>
            {label}
          </a>
        </Fragment>
      ))}
    </nav>
  );
}

/** Takes all filters off, and nothing else. */
export function clearHref({ action, hidden = {} }: Pick<FiltersModel, 'action' | 'hidden'>): string {
  const query = new URLSearchParams(hidden).toString();
  return query === '' ? action : `${action}?${query}`;
}

function Boxes({ action, asked, search, texts = [], selects, hidden = {} }: FiltersModel) {
  const t = useText();
  const boxes = new Set([...(search ? ['q'] : []), ...[...texts, ...selects].map(({ name }) => name)]);
  // What has no box stays as it is.
  const kept = Object.entries({ ...hidden, ...asked }).filter(([name]) => !boxes.has(name));
  return (
    <form method="get" action={safeHref(action)} class="filters">
      {kept.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {search && (
        <div class="filter wide">
          <label for="q">{search.label}</label>
          <input id="q" name="q" type="search" value={search.value} autocomplete="off" spellcheck={false} />
        </div>
      )}
      {texts.map(({ name, label, example, value }) => (
        <div key={name} class="filter">
          <label for={name}>{label}</label>
          <input
            id={name}
            name={name}
            type="text"
            value={value}
            placeholder={example}
            autocomplete="off"
            spellcheck={false}
          />
        </div>
      ))}
      {selects.map(({ name, label, options, value }) => (
        <div key={name} class="filter">
          <label for={name}>{label}</label>
          <select id={name} name={name}>
            {options.map((option) => (
              <option key={option.value} value={option.value} selected={option.value === value}>
                {option.label}
              </option>
            ))}
          </select>
        </div>
      ))}
      <div class="actions">
        <button type="submit" class="button">
          {t('frame.filter')}
        </button>
        {isFiltered({ asked }) && (
          <Link href={clearHref({ action, hidden })} class="button quiet">
            {t('frame.clear')}
          </Link>
        )}
      </div>
    </form>
  );
}
