/** Fields that somebody else has changed while a form was open: both values, of which one is picked. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useText } from '../../texts/elements.tsx';

export interface Conflict {
  /** Of the body. */
  readonly member: string;
  /** Name of the control; undefined where none is for it alone. */
  readonly field?: string | undefined;
  /** In words; empty: nothing. */
  readonly typed: string;
  readonly stored: string;
  /** Undefined where both sides have changed it: nobody decides that but the reader. */
  readonly picked?: 'typed' | 'stored' | undefined;
}

export interface OpenConflicts {
  readonly conflicts: readonly Conflict[];
  /** Those that stand beside their control. */
  readonly placed: Set<Conflict>;
}

/** Of the form around it. */
export const Conflicts = createContext<OpenConflicts>({ conflicts: [], placed: new Set() });

/** In the form, which of the two counts. */
export function pickName(member: string): string {
  return `pick.${member}`;
}

/** Beside a control: what is typed there, or what is stored. */
export function PickOf({ field, label }: { readonly field: string; readonly label: string }) {
  const { conflicts, placed } = useContext(Conflicts);
  const own = conflicts.filter((conflict) => conflict.field === field && !placed.has(conflict));
  for (const conflict of own) placed.add(conflict);
  return (
    <>
      {own.map((conflict) => (
        <Pick key={conflict.member} conflict={conflict} label={label} />
      ))}
    </>
  );
}

/** Behind all controls: what stands beside none. */
export function OtherPicks() {
  const { conflicts, placed } = useContext(Conflicts);
  return (
    <>
      {conflicts
        .filter((conflict) => !placed.has(conflict))
        .map((conflict) => (
          <Pick key={conflict.member} conflict={conflict} label={conflict.member} />
        ))}
    </>
  );
}

interface PickProps {
  readonly conflict: Conflict;
  /** Of the field. */
  readonly label: string;
}

function Pick({ conflict: { member, typed, stored, picked }, label }: PickProps) {
  const t = useText();
  const name = pickName(member);
  const nothing = t('frame.nothing');
  const choices = [
    { value: 'typed', text: t('frame.asTyped', { text: typed || nothing }) },
    { value: 'stored', text: t('frame.storedNow', { text: stored || nothing }) },
  ];
  return (
    <fieldset class="choices conflict" id={name}>
      <legend>{t('frame.whichCounts', { label })}</legend>
      {choices.map(({ value, text }) => (
        <div key={value} class="choice">
          <input
            id={`${name}.${value}`}
            name={name}
            type="radio"
            value={value}
            checked={picked === value}
            required
          />
          <label for={`${name}.${value}`}>
            <bdi>{text}</bdi>
          </label>
        </div>
      ))}
    </fieldset>
  );
}
