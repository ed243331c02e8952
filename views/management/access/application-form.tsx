/** The fields of an application: one address where its framework says the rest, or each by itself. */
import { type AddState, type ErrorOf, renderAddPage } from '../change-form.tsx';
import { ChoicesField, LinesField, TextField } from '../fields.tsx';

export interface ApplicationForm {
  readonly displayName: string;
  /** Under which people reach it: asked for where a framework says the rest. */
  readonly url: string;
  /** A line each. */
  readonly redirectUris: string;
  readonly postLogoutUris: string;
  readonly backchannelLogoutUri: string;
  readonly isFirstParty: boolean;
  readonly roles: readonly { readonly id: string; readonly isChosen: boolean }[];
}

export const applicationsPath = [{ title: 'Applications', href: '/access/applications' }];

interface FieldsProps {
  readonly form: ApplicationForm;
  readonly errorOf: ErrorOf;
}

function NameField({ form, errorOf }: FieldsProps) {
  return (
    <TextField
      name="displayName"
      label="Name"
      hint="What people see of it."
      isOptional
      value={form.displayName}
      error={errorOf('displayName')}
    />
  );
}

function RoleFields({ form: { roles, isFirstParty }, errorOf }: FieldsProps) {
  return (
    <>
      <ChoicesField
        id="roles"
        legend="Roles that it gets"
        hint="Of those that the person has, these are in its tokens."
        error={errorOf('roles')}
        choices={roles.map(({ id, isChosen }) => ({ name: `role:${id}`, label: id, isChosen }))}
      />
      <ChoicesField
        id="trust"
        legend="Consent"
        choices={[
          {
            name: 'firstParty',
            label: 'It is our own',
            meaning: 'People are not asked whether they let it in.',
            isChosen: isFirstParty,
          },
        ]}
      />
    </>
  );
}

function AddressFields({ form, errorOf }: FieldsProps) {
  return (
    <>
      <LinesField
        name="redirectUris"
        label="Redirect URIs"
        hint="Where people come back to, a line each: https, or http at loopback. Compared character by character."
        value={form.redirectUris}
        error={errorOf('redirectUris')}
      />
      <LinesField
        name="postLogoutUris"
        label="Addresses after sign-out"
        hint="Where people may be sent after they have signed out, a line each."
        isOptional
        rows={2}
        value={form.postLogoutUris}
        error={errorOf('postLogoutUris')}
      />
      <TextField
        name="backchannelLogoutUri"
        label="Back-channel logout URI"
        inputMode="url"
        hint="Where the console posts a logout token when a session ends."
        isOptional
        value={form.backchannelLogoutUri}
        error={errorOf('backchannelLogoutUri')}
      />
    </>
  );
}

export function ApplicationFields(props: FieldsProps) {
  return (
    <>
      <NameField {...props} />
      <AddressFields {...props} />
      <RoleFields {...props} />
    </>
  );
}

export interface NewApplicationModel extends AddState {
  readonly id: string;
  readonly form: ApplicationForm;
  readonly presets: readonly { readonly id: string; readonly label: string; readonly meaning: string }[];
  /** The id of the chosen one. */
  readonly preset: string;
  /** Its addresses come of one. */
  readonly hasUrl: boolean;
}

export function renderNewApplication({
  id,
  form,
  presets,
  preset,
  hasUrl,
  ...state
}: NewApplicationModel): string {
  return renderAddPage({
    ...state,
    path: applicationsPath,
    title: 'Add application',
    about: 'The next page has its secret, where it has one, and the settings to paste.',
    before: <Presets presets={presets} preset={preset} />,
    hidden: { for: preset },
    id: {
      label: 'Client ID',
      hint: 'Letters, digits, dots, hyphens and underscores. It stays as it is.',
      value: id,
    },
    fields: (errorOf) => (
      <>
        <NameField form={form} errorOf={errorOf} />
        {hasUrl ? (
          <TextField
            name="url"
            label="Address"
            inputMode="url"
            hint="Under which people reach it, such as https://orders.example.com. The rest follows from it."
            value={form.url}
            error={errorOf('url')}
          />
        ) : (
          <AddressFields form={form} errorOf={errorOf} />
        )}
        <RoleFields form={form} errorOf={errorOf} />
      </>
    ),
  });
}

function Presets({ presets, preset }: Pick<NewApplicationModel, 'presets' | 'preset'>) {
  return (
    <nav class="presets" aria-label="Made with">
      {presets.map(({ id, label, meaning }) => (
        <a
          key={id}
          class="preset boxed"
          href={`/access/applications?do=new&for=${id}`}
          aria-current={id === preset ? 'true' : undefined}
        >
          {label}
          <span class="hint">{meaning}</span>
        </a>
      ))}
    </nav>
  );
}
