/** A value that members keep: what it is, in a form that people can read, and the form by which another is given. */

import { Form } from '../../elements/form.tsx';
import { useText } from '../../texts/elements.tsx';
import { numberIn, type Translate } from '../../texts/text.ts';
import { Code } from '../code.tsx';
import { EditorField } from '../editor.tsx';
import { ErrorList, type FieldError, SelectField, TextField } from '../fields.tsx';

export type ValueForm = 'text' | 'json' | 'xml' | 'hex' | 'image';

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

const formNames = (t: Translate): Readonly<Record<ValueForm, string>> => ({
  text: t('values.text'),
  json: 'JSON',
  xml: 'XML',
  hex: t('values.hex'),
  image: t('values.image'),
});

/** @param href  of the page */
export function Value({ form, forms, text, isCut, href }: ShownValue & { readonly href: string }) {
  const t = useText();
  return (
    <div class="value">
      <nav class="actions" aria-label={t('values.formsOf')}>
        {forms.map((each) => (
          <a
            key={each}
            class="button small"
            href={`${href}?as=${each}`}
            aria-current={each === form ? 'true' : undefined}
          >
            {formNames(t)[each]}
          </a>
        ))}
        <a class="button small" href={`${href}/value?download=true`}>
          {t('values.download')}
        </a>
      </nav>
      {form === 'image' ? (
        <img class="drawing" src={`${href}/value`} alt={t('values.drawn')} />
      ) : (
        <Code>{text}</Code>
      )}
      {isCut && <p class="hint">{t('values.firstOfAll')}</p>}
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
  const t = useText();
  const errorOf = (name: string) => errors.find(({ field }) => field === name)?.text;
  return (
    <>
      <ErrorList errors={errors} />
      <Form action={action} hidden={hidden}>
        <EditorField
          name="value"
          label={t('common.value')}
          rows={8}
          value={typed.value}
          error={errorOf('value')}
        />
        <SelectField
          name="encoding"
          label={t('values.typedAs')}
          value={typed.encoding}
          options={[
            { value: 'text', label: t('values.textUtf8') },
            { value: 'base64', label: t('values.base64') },
          ]}
        />
        <TextField
          name="type"
          label={t('values.mediaType')}
          hint={t('values.keptWithIt')}
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

interface FileFormProps extends Pick<ValueFormProps, 'action' | 'hidden' | 'errors'> {
  readonly type: string;
}

export function GiveFile({ action, hidden, type, errors }: FileFormProps) {
  const t = useText();
  const errorOf = (name: string) => errors.find(({ field }) => field === name)?.text;
  const problem = errorOf('file');
  return (
    <>
      <ErrorList errors={errors} />
      <Form action={action} hidden={hidden} isUpload>
        <div class="field">
          <label for="file">{t('values.chooseFile')}</label>
          <input
            id="file"
            name="file"
            type="file"
            required
            aria-invalid={problem === undefined ? undefined : 'true'}
            aria-describedby={problem === undefined ? undefined : 'file-error'}
          />
          {problem && (
            <p class="field-error" id="file-error">
              {problem}
            </p>
          )}
        </div>
        <TextField
          name="file_type"
          label={t('values.mediaType')}
          isOptional
          value={type}
          error={errorOf('file_type')}
        />
        <div class="actions">
          <button type="submit" class="button primary">
            {t('values.storeFile')}
          </button>
        </div>
      </Form>
    </>
  );
}

export function sizeText(bytes: number, t: Translate): string {
  const number = (value: number) => numberIn(t.language, value, { maximumSignificantDigits: 3 });
  if (bytes < 1024) return t('values.bytes', { n: bytes, size: number(bytes) });
  return bytes < 1024 ** 2 ? `${number(bytes / 1024)} KB` : `${number(bytes / 1024 ** 2)} MB`;
}
