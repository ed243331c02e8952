/** What stands above a list from which things can be selected: acts on those, in the place of the filter. */
import { safeHref } from '../../elements/href.ts';
import { assetPath } from '../../static.ts';
import { useText } from '../../texts/elements.tsx';
import { textForm } from '../../texts/text.ts';

export interface SelectionModel {
  /** Of the list: it takes what is selected, and does it at once or asks. */
  readonly action: string;
  /** What the filter says, and what every form has. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly acts: readonly SelectionAct[];
  /** On the box that stands for all that the filter finds; absent where this page shows all of that. */
  readonly all?: string | undefined;
}

export interface SelectionAct {
  /** Of the button, as `do`. */
  readonly name: string;
  readonly label: string;
  readonly isDangerous: boolean;
}

const formId = 'selection';
/** Before the id of each thing that is selected: names of a form come once each. */
export const pickPrefix = 'pick:';

/** Boxes of rows belong to it wherever they stand, so that it works without script. */
export function Selection({ action, hidden, acts, all }: SelectionModel) {
  const t = useText();
  const selected = textForm(t.language, 'bulk.selected');
  return (
    <form
      id={formId}
      method="post"
      action={safeHref(action)}
      class="selection"
      aria-label={t('bulk.acts')}
      data-selection={selected}
    >
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <output class="muted">{t('bulk.selectFirst')}</output>
      {all !== undefined && (
        <div class="choice">
          <input id="select-all" name="all" type="checkbox" value="true" />
          <label for="select-all">{all}</label>
        </div>
      )}
      <div class="actions">
        {acts.map(({ name, label, isDangerous }) => (
          <button
            key={name}
            type="submit"
            name="do"
            value={name}
            class={isDangerous ? 'button danger' : 'button'}
          >
            {label}
          </button>
        ))}
        <button type="reset" class="button quiet">
          {t('bulk.clear')}
        </button>
      </div>
      <script type="module" src={assetPath('selection.js')} />
    </form>
  );
}

/** The box of a row. */
export function Pick({ id, label }: { readonly id: string; readonly label: string }) {
  const t = useText();
  return (
    <input
      type="checkbox"
      form={formId}
      name={`${pickPrefix}${id}`}
      value="on"
      aria-label={t('bulk.select', { name: label })}
      autocomplete="off"
    />
  );
}

/** The box of all rows, where a script runs. */
export function PickPage() {
  const t = useText();
  return (
    <input type="checkbox" data-pick="page" aria-label={t('bulk.selectPage')} autocomplete="off" hidden />
  );
}
