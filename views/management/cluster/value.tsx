/** A value that members keep: what it is, in a form that people can read, and the form by which another is given. */

import { Form } from '../../elements/form.tsx';
import { Code } from '../code.tsx';
import { ErrorList, type FieldError, LinesField, SelectField, TextField } from '../fields.tsx';

export type ValueForm = 'text' | 'json' | 'hex' | 'image';

export interface ShownValue {
  readonly type: string | null;
  /** Its size. */
  readonly bytes: number;
  /** That in which it is shown. */
  readonly form: ValueForm;
  readonly forms: readonly ValueForm[];
  /** In that form; empty for a drawing. */
  readonly text: string;
  /** More of it is stored than is shown. */
  readonly isCut: boolean;
  /** Short enough to be edited. */
  readonly isWhole: boolean;
}

const formNames: Readonly<Record<ValueForm, string>> = {
  text: 'Text',
  json: 'JSON',
  hex: 'Hex',
  image: 'Image',
};

/** @param href  of the page */
export function Value({ form, forms, text, isCut, href }: ShownValue & { readonly href: string }) {
  return (
    <div class="value">
      <nav class="actions" aria-label="Forms of the value">
        {forms.map((each) => (
          <a
            key={each}
            class="button small"
            href={`${href}?as=${each}`}
            aria-current={each === form ? 'true' : undefined}
          >
            {formNames[each]}
          </a>
        ))}
        <a class="button small" href={`${href}/value?download=true`}>
          Download
        </a>
      </nav>
      {form === 'image' ? (
        <img class="drawing" src={`${href}/value`} alt="The value, drawn" />
      ) : (
        <Code>{text}</Code>
      )}
      {isCut && <p class="hint">These are the first 64 KB. Download has all of it.</p>}
    </div>
  );
}

export interface ValueFields {
  readonly value: string;
  readonly encoding: 'text' | 'base64';
  readonly type: string;
}

interface ValueFormProps {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly typed: ValueFields;
  readonly button: string;
  readonly errors: readonly FieldError[];
}

export function GiveValue({ action, hidden, typed, button, errors }: ValueFormProps) {
  const errorOf = (name: string) => errors.find(({ field }) => field === name)?.text;
  return (
    <>
      <ErrorList errors={errors} />
      <Form action={action} hidden={hidden}>
        <LinesField name="value" label="Value" rows={8} value={typed.value} error={errorOf('value')} />
        <SelectField
          name="encoding"
          label="Typed as"
          value={typed.encoding}
          options={[
            { value: 'text', label: 'Text (UTF-8)' },
            { value: 'base64', label: 'Base64, for bytes that are no text' },
          ]}
        />
        <TextField
          name="type"
          label="Media type"
          hint="Kept with it, such as application/json."
          isOptional
          value={typed.type}
          error={errorOf('type')}
        />
        <div class="actions">
          <button type="submit" class="button primary">
            {button}
          </button>
        </div>
      </Form>
    </>
  );
}

const units = ['bytes', 'KB', 'MB'];

export function sizeText(bytes: number): string {
  const step = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : 2;
  const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(bytes / 1024 ** step);
  return bytes === 1 ? '1 byte' : `${number} ${units[step]}`;
}
