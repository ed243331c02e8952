/** Controls of forms, each with its label above, its hint below and what is wrong with it beside it. */

import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { renderPart } from '../../layout.tsx';
import { type Presentation, usePresentation } from '../../presentation.ts';
import { useText } from '../../texts/elements.tsx';
import type { Option } from '../filters.tsx';
import { PickOf } from './conflicts.tsx';

/** Labels of controls by their names, in the order of the form: what is wrong with one is said on top under its label. */
const Labels = createContext<Map<string, string> | undefined>(undefined);

/** Of the controls in a form. They are rendered for this alone: the list of errors stands above them. */
function labelsIn(controls: ComponentChildren, presentation: Presentation): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  renderPart(<Labels.Provider value={labels}>{controls}</Labels.Provider>, presentation);
  return labels;
}

/** Says what a control is called, or a group of them. */
export function useLabel(name: string, label: ComponentChildren): void {
  const labels = useContext(Labels);
  if (typeof label === 'string') labels?.set(name, label);
}

interface ControlProps {
  /** Of the form field; also its id, so it must be unique on the page. */
  readonly name: string;
  readonly label: ComponentChildren;
  readonly hint?: string | undefined;
  readonly isOptional?: boolean | undefined;
  /** What is wrong with it. */
  readonly error?: string | undefined;
}

function Control({
  name,
  label,
  hint,
  isOptional,
  error,
  children,
}: ControlProps & { readonly children: ComponentChildren }) {
  const t = useText();
  useLabel(name, label);
  return (
    <div class="field">
      <label for={name}>
        {label}
        {isOptional && <span class="optional"> {t('field.optional')}</span>}
      </label>
      {children}
      {error && (
        <p class="field-error" id={`${name}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {typeof label === 'string' && <PickOf field={name} label={label} />}
    </div>
  );
}

/** What describes the control, and whether it is wrong. */
function stateOf({ name, hint, error }: ControlProps) {
  const described = [error && `${name}-error`, hint && `${name}-hint`].filter(Boolean).join(' ');
  return {
    'aria-describedby': described || undefined,
    'aria-invalid': error === undefined ? undefined : ('true' as const),
  };
}

interface TextProps extends ControlProps {
  readonly value: string;
  /** The keyboard that a phone shows. */
  readonly inputMode?: 'text' | 'email' | 'url' | 'numeric';
  readonly autocomplete?: string;
  /** The field whose value it follows while it is typed, where a script is there: views/static/forming.js. */
  readonly follows?: string | undefined;
}

export function TextField({
  value,
  inputMode = 'text',
  autocomplete = 'off',
  follows,
  ...control
}: TextProps) {
  return (
    <Control {...control}>
      <input
        id={control.name}
        name={control.name}
        type="text"
        inputMode={inputMode}
        value={value}
        autocomplete={autocomplete}
        data-follows={follows}
        autocapitalize="none"
        spellcheck={false}
        {...stateOf(control)}
      />
    </Control>
  );
}

export interface LinesProps extends ControlProps {
  readonly value: string;
  readonly rows?: number;
  /** Below the control. */
  readonly children?: ComponentChildren;
}

/** Several values, a line each. */
export function LinesField({ value, rows = 4, children, ...control }: LinesProps) {
  return (
    <Control {...control}>
      <textarea
        id={control.name}
        name={control.name}
        rows={rows}
        autocapitalize="none"
        spellcheck={false}
        {...stateOf(control)}
      >
        {/* A browser takes a line break away that comes first. */}
        {`\n${value}`}
      </textarea>
      {children}
    </Control>
  );
}

interface SecretProps extends ControlProps {
  /** Of several lines, as a key is. */
  readonly isLong?: boolean;
}

/** What is kept and never shown: it has no value on purpose. */
export function SecretField({ isLong = false, ...control }: SecretProps) {
  const { name } = control;
  return (
    <Control {...control}>
      {isLong ? (
        <textarea
          id={name}
          name={name}
          rows={4}
          autocomplete="off"
          spellcheck={false}
          {...stateOf(control)}
        />
      ) : (
        <input id={name} name={name} type="password" autocomplete="new-password" {...stateOf(control)} />
      )}
    </Control>
  );
}

interface SelectFieldProps extends ControlProps {
  readonly value: string;
  readonly options: readonly Option[];
}

export function SelectField({ value, options, ...control }: SelectFieldProps) {
  return (
    <Control {...control}>
      <select id={control.name} name={control.name} {...stateOf(control)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </Control>
  );
}

interface OneOfProps extends SelectFieldProps {
  readonly label: string;
}

/** One of these, each of them in sight. */
export function OneOfField({ name, label, value, options }: OneOfProps) {
  return (
    <fieldset class="choices" id={name}>
      <legend>{label}</legend>
      {options.map((option) => (
        <div key={option.value} class="choice">
          <input
            id={`${name}.${option.value}`}
            name={name}
            type="radio"
            value={option.value}
            checked={option.value === value}
            required
          />
          <label for={`${name}.${option.value}`}>{option.label}</label>
        </div>
      ))}
    </fieldset>
  );
}

export interface Choice {
  /** Of the form field, whose value is `on`; also its id. */
  readonly name: string;
  readonly label: string;
  readonly meaning?: string | undefined;
  readonly isChosen: boolean;
}

interface ChoicesProps {
  readonly id: string;
  readonly legend: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly choices: readonly Choice[];
}

/** Any number of these. */
export function ChoicesField({ id, legend, hint, error, choices }: ChoicesProps) {
  useLabel(id, legend);
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <fieldset class="choices" id={id} aria-describedby={described || undefined}>
      <legend>{legend}</legend>
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {choices.map(({ name, label, meaning, isChosen }) => (
        <div key={name} class="choice">
          <input id={name} name={name} type="checkbox" checked={isChosen} />
          <label for={name}>
            <bdi>{label}</bdi>
            {meaning && <span class="hint">{meaning}</span>}
          </label>
        </div>
      ))}
      <PickOf field={id} label={legend} />
    </fieldset>
  );
}

export interface FieldError {
  /** Of the control; undefined where the error is of none. */
  readonly field?: string | undefined;
  readonly text: string;
}

interface ErrorListProps {
  readonly errors: readonly FieldError[];
  /** Of the form: without them nothing says which field a sentence is about. */
  readonly controls?: ComponentChildren;
  /** The form does something, and saves nothing. */
  readonly isAct?: boolean;
}

/** Everything that is wrong with a form, on top of it, in its order: each leads to its field. */
export function ErrorList({ errors, controls, isAct = false }: ErrorListProps) {
  const t = useText();
  const presentation = usePresentation();
  if (errors.length === 0) return null;
  const labels = labelsIn(controls, presentation);
  const names = [...labels.keys()];
  const sorted = errors.toSorted(
    (one, other) => names.indexOf(one.field ?? '') - names.indexOf(other.field ?? ''),
  );
  return (
    <div class="message problem" role="alert">
      <p>{t(isAct ? 'common.nothingWasDone' : 'common.nothingWasSaved')}</p>
      <ul>
        {sorted.map(({ field, text }) => (
          <li key={`${field} ${text}`}>
            {field === undefined ? text : <a href={`#${field}`}>{labelled(labels.get(field), text)}</a>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function labelled(label: string | undefined, text: string): string {
  return label === undefined ? text : `${label}: ${text}`;
}
