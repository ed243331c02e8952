/** The fields of an application: one address where its framework says the rest, or each by itself. */
import { useText } from '../../texts/elements.tsx';
import { type Translate, textsIn } from '../../texts/text.ts';
import { type AddState, type ErrorOf, renderAddPage } from '../forms/change-form.tsx';
import { ChoicesField, LinesField, TextField } from '../forms/fields.tsx';

export interface ApplicationForm {
  readonly displayName: string;
  /** Under which people reach it: asked for where a framework says the rest. */
  readonly url: string;
  /** A line each. */
  readonly redirectUris: string;
  readonly postLogoutUris: string;
  readonly backchannelLogoutUri: string;
  /** Its home page. */
  readonly clientUri: string;
  readonly logoUri: string;
  readonly isFirstParty: boolean;
  readonly roles: readonly { readonly id: string; readonly isChosen: boolean }[];
}

export const applicationsPath = (t: Translate) => [
  { title: t('common.applications'), href: '/access/applications' },
];

interface FieldsProps {
  readonly form: ApplicationForm;
  readonly errorOf: ErrorOf;
}

function NameField({ form, errorOf }: FieldsProps) {
  const t = useText();
  return (
    <TextField
      name="displayName"
      label={t('common.name')}
      hint={t('access.whatPeopleSeeOfIt')}
      isOptional
      value={form.displayName}
      error={errorOf('displayName')}
    />
  );
}

function RoleFields({ form: { roles, isFirstParty }, errorOf }: FieldsProps) {
  const t = useText();
  return (
    <>
      <ChoicesField
        id="roles"
        legend={t('applications.rolesItGets')}
        hint={t('applications.rolesHint')}
        error={errorOf('roles')}
        choices={roles.map(({ id, isChosen }) => ({ name: `role:${id}`, label: id, isChosen }))}
      />
      <ChoicesField
        id="trust"
        legend={t('applications.consent')}
        choices={[
          {
            name: 'firstParty',
            label: t('applications.ourOwn'),
            meaning: t('applications.notAsked'),
            isChosen: isFirstParty,
          },
        ]}
      />
    </>
  );
}

function AddressFields({ form, errorOf }: FieldsProps) {
  const t = useText();
  return (
    <>
      <LinesField
        name="redirectUris"
        label={t('applications.redirectUris')}
        hint={t('applications.redirectHint')}
        value={form.redirectUris}
        error={errorOf('redirectUris')}
      />
      <LinesField
        name="postLogoutUris"
        label={t('applications.afterSignOut')}
        hint={t('applications.afterSignOutHint')}
        isOptional
        rows={2}
        value={form.postLogoutUris}
        error={errorOf('postLogoutUris')}
      />
      <TextField
        name="backchannelLogoutUri"
        label={t('applications.backChannelUri')}
        inputMode="url"
        hint={t('applications.backChannelHint')}
        isOptional
        value={form.backchannelLogoutUri}
        error={errorOf('backchannelLogoutUri')}
      />
      <SightFields form={form} errorOf={errorOf} />
    </>
  );
}

/** What people see of it besides its name. */
function SightFields({ form, errorOf }: FieldsProps) {
  const t = useText();
  return (
    <>
      <TextField
        name="clientUri"
        label={t('applications.homePage')}
        inputMode="url"
        hint={t('applications.homePageHint')}
        isOptional
        value={form.clientUri}
        error={errorOf('clientUri')}
      />
      <TextField
        name="logoUri"
        label={t('applications.logo')}
        inputMode="url"
        hint={t('applications.logoHint')}
        isOptional
        value={form.logoUri}
        error={errorOf('logoUri')}
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
  const t = textsIn(state.frame.presentation.language);
  return renderAddPage({
    ...state,
    path: applicationsPath(t),
    title: t('common.addApplication'),
    about: t('applications.nextPage'),
    before: <Presets presets={presets} preset={preset} />,
    hidden: { for: preset },
    id: {
      label: t('access.clientId'),
      hint: t('clients.idHint'),
      value: id,
    },
    fields: (errorOf) => (
      <>
        <NameField form={form} errorOf={errorOf} />
        {hasUrl ? (
          <TextField
            name="url"
            label={t('applications.address')}
            inputMode="url"
            hint={t('applications.addressHint')}
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
  const t = useText();
  return (
    <nav class="presets" aria-label={t('applications.madeWith')}>
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
