/** The fields of an identity provider: those of its kind, the usual ones first. */
import { Text, useText } from '../../../texts/elements.tsx';
import { type Translate, textsIn } from '../../../texts/text.ts';
import { Id } from '../../detail.tsx';
import type { Option } from '../../filters.tsx';
import { type AddState, type ErrorOf, renderAddPage } from '../../forms/change-form.tsx';
import { ChoicesField, LinesField, SecretField, SelectField, TextField } from '../../forms/fields.tsx';

export interface ProviderField {
  /** The member of the API's object; also of the form. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** A secret is typed, and never shown again. */
  readonly type: 'text' | 'url' | 'number' | 'lines' | 'secret' | 'secretLines' | 'switch' | 'select';
  readonly options?: readonly Option[];
  readonly isOptional?: boolean;
  /** Few need it: it is folded away. */
  readonly isRare?: boolean;
}

/** What is typed, by the name of the field; a switch is `on` or empty. */
export type ProviderValues = Readonly<Record<string, string>>;

export interface ProviderForm {
  readonly fields: readonly ProviderField[];
  readonly values: ProviderValues;
}

interface FieldsProps extends ProviderForm {
  readonly errorOf: ErrorOf;
}

export function ProviderFields({ fields, values, errorOf }: FieldsProps) {
  const t = useText();
  const rare = fields.filter(({ isRare }) => isRare);
  const isOpen = rare.some(({ name }) => errorOf(name) !== undefined);
  return (
    <>
      {fields
        .filter(({ isRare }) => !isRare)
        .map((field) => (
          <Field key={field.name} field={field} values={values} errorOf={errorOf} />
        ))}
      <details open={isOpen}>
        <summary>{t('providers.moreSettings')}</summary>
        {rare.map((field) => (
          <Field key={field.name} field={field} values={values} errorOf={errorOf} />
        ))}
      </details>
    </>
  );
}

interface FieldProps extends Pick<FieldsProps, 'values' | 'errorOf'> {
  readonly field: ProviderField;
}

function Field({ field: { type, options = [], isRare, ...field }, values, errorOf }: FieldProps) {
  const value = values[field.name] ?? '';
  const control = { ...field, error: errorOf(field.name) };
  switch (type) {
    case 'lines':
      return <LinesField {...control} rows={3} value={value} />;
    case 'secret':
    case 'secretLines':
      return <SecretField {...control} isLong={type === 'secretLines'} />;
    case 'select':
      return <SelectField {...control} value={value} options={options} />;
    case 'switch':
      return (
        <ChoicesField
          id={`${field.name}-choice`}
          legend={field.label}
          error={control.error}
          choices={[{ name: field.name, label: field.hint ?? field.label, isChosen: value === 'on' }]}
        />
      );
    case 'url':
      return <TextField {...control} inputMode="url" value={value} />;
    case 'number':
      return <TextField {...control} inputMode="numeric" value={value} />;
    case 'text':
      return <TextField {...control} value={value} />;
  }
}

export const providersHref = '/access/identity-providers';

export function providerHref(id: string): string {
  return `${providersHref}/${encodeURIComponent(id)}`;
}

export const providersPath = (t: Translate) => [
  { title: t('common.identityProviders'), href: providersHref },
];

export interface NewProviderModel extends AddState {
  readonly id: string;
  readonly form: ProviderForm;
  readonly presets: readonly { readonly id: string; readonly label: string; readonly meaning: string }[];
  /** The id of the chosen one. */
  readonly preset: string;
  /** What has to be done at the provider first. */
  readonly before: string;
  /** What has to be registered there, with the id in it; a directory has none. */
  readonly callbackUrl: string | undefined;
}

export function renderNewProvider(model: NewProviderModel): string {
  const { id, form, presets, preset, before, callbackUrl, ...state } = model;
  const t = textsIn(state.frame.presentation.language);
  return renderAddPage({
    ...state,
    path: providersPath(t),
    title: t('common.addIdentityProvider'),
    about: t('providers.addedDisabled'),
    before: (
      <>
        <Presets presets={presets} preset={preset} />
        <p>{before}</p>
        {callbackUrl !== undefined && (
          <p>
            <Text id="providers.itsCallbackUrl" gaps={{ url: <Id>{callbackUrl}</Id> }} />
          </p>
        )}
      </>
    ),
    hidden: { for: preset },
    id: {
      label: t('providers.id'),
      hint: t('providers.idHint'),
      value: id,
    },
    fields: (errorOf) => <ProviderFields {...form} errorOf={errorOf} />,
  });
}

function Presets({ presets, preset }: Pick<NewProviderModel, 'presets' | 'preset'>) {
  const t = useText();
  return (
    <nav class="presets" aria-label={t('providers.kindOfProvider')}>
      {presets.map(({ id, label, meaning }) => (
        <a
          key={id}
          class="preset boxed"
          href={`${providersHref}?do=new&for=${id}`}
          aria-current={id === preset ? 'true' : undefined}
        >
          {label}
          <span class="hint">{meaning}</span>
        </a>
      ))}
    </nav>
  );
}
