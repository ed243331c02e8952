import { Fragment } from 'preact';
import { safeHref } from '../elements/href.ts';
import { Link } from '../elements/link.tsx';
import { useText } from '../texts/elements.tsx';

export interface FiltersModel {
  /** The list without a filter. */
  readonly action: string;
  /** Whether anything is filtered. */
  readonly isSet: boolean;
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
  readonly value: string;
}

export interface Select {
  /** Parameter of the address. */
  readonly name: string;
  readonly label: string;
  /** The first stands for no filter. */
  readonly options: readonly Option[];
  readonly value: string;
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** A filter is part of the address: a page that is filtered can be sent to somebody. */
export function Filters(model: FiltersModel) {
  return (
    <>
      {model.quick && <QuickFilters quick={model.quick} />}
      <Boxes {...model} />
    </>
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

function Boxes({ action, isSet, search, texts = [], selects, hidden = {} }: FiltersModel) {
  const t = useText();
  return (
    <form method="get" action={safeHref(action)} class="filters">
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {search && (
        <div class="filter wide">
          <label for="q">{search.label}</label>
          <input id="q" name="q" type="search" value={search.value} autocomplete="off" spellcheck={false} />
        </div>
      )}
      {texts.map(({ name, label, value }) => (
        <div key={name} class="filter">
          <label for={name}>{label}</label>
          <input id={name} name={name} type="text" value={value} autocomplete="off" spellcheck={false} />
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
        {isSet && (
          <Link href={action} class="button quiet">
            {t('frame.clear')}
          </Link>
        )}
      </div>
    </form>
  );
}
