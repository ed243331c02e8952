/** Fields of a machine client, and the page that adds one. */
import { useText } from '../../texts/elements.tsx';
import { type Translate, textsIn } from '../../texts/text.ts';
import { type AddState, type ErrorOf, renderAddPage } from '../forms/change-form.tsx';
import { ChoicesField, LinesField, SelectField, TextField } from '../forms/fields.tsx';
import { AccessFields, type AccessForm } from './access-fields.tsx';

export interface ClientForm {
  readonly displayName: string;
  readonly access: AccessForm;
  readonly tokenAlg: string;
  /** Seconds, as typed; empty: as the installation has it. */
  readonly ttl: string;
  readonly dpop: boolean;
  /** JSON of public keys; empty: none. */
  readonly jwks: string;
}

/** How a new one proves who it is. */
export type Authentication = 'secret' | 'keys';

export interface NewClientForm extends ClientForm {
  readonly id: string;
  readonly authentication: Authentication;
}

export const clientsPath = (t: Translate) => [{ title: t('common.machineClients'), href: '/access/clients' }];

interface FieldsProps<Form> {
  readonly form: Form;
  readonly errorOf: ErrorOf;
}

const algorithms = ['RS256', 'ES256', 'EdDSA'].map((value) => ({ value, label: value }));

/** Of one that is there. */
export function ClientFields({ form, errorOf }: FieldsProps<ClientForm>) {
  return (
    <>
      <NameField form={form} errorOf={errorOf} isOptional />
      <AccessFields form={form.access} errorOf={errorOf} />
      <KeysField form={form} errorOf={errorOf} />
      <TokenFields form={form} errorOf={errorOf} />
    </>
  );
}

function NewClientFields({ form, errorOf }: FieldsProps<NewClientForm>) {
  const t = useText();
  return (
    <>
      <AccessFields form={form.access} errorOf={errorOf} />
      <div class="authentication">
        <SelectField
          name="authentication"
          label={t('clients.authentication')}
          hint={t('clients.authenticationHint')}
          options={[
            { value: 'secret', label: t('clients.bySecret') },
            { value: 'keys', label: t('clients.byKeys') },
          ]}
          value={form.authentication}
        />
        <KeysField form={form} errorOf={errorOf} />
      </div>
      <TokenFields form={form} errorOf={errorOf} />
    </>
  );
}

interface NameProps extends FieldsProps<Pick<ClientForm, 'displayName'>> {
  readonly isOptional?: boolean;
}

function NameField({ form, errorOf, isOptional }: NameProps) {
  const t = useText();
  return (
    <TextField
      name="displayName"
      label={t('common.name')}
      hint={t('access.whatPeopleSeeOfIt')}
      isOptional={isOptional}
      value={form.displayName}
      error={errorOf('displayName')}
    />
  );
}

function KeysField({ form: { jwks }, errorOf }: FieldsProps<Pick<ClientForm, 'jwks'>>) {
  const t = useText();
  return (
    <LinesField
      name="jwks"
      label={t('clients.publicKeys')}
      hint={t('clients.publicKeysHint')}
      isOptional
      value={jwks}
      error={errorOf('jwks')}
    />
  );
}

function TokenFields({ form: { tokenAlg, ttl, dpop }, errorOf }: FieldsProps<ClientForm>) {
  const t = useText();
  return (
    <>
      <SelectField
        name="tokenAlg"
        label={t('clients.signature')}
        options={algorithms}
        value={tokenAlg}
        error={errorOf('tokenAlg')}
      />
      <TextField
        name="tokenTtlSeconds"
        label={t('clients.tokenLifetime')}
        hint={t('clients.tokenLifetimeHint')}
        isOptional
        inputMode="numeric"
        value={ttl}
        error={errorOf('tokenTtlSeconds')}
      />
      <ChoicesField
        id="binding"
        legend={t('clients.binding')}
        error={errorOf('dpop')}
        choices={[
          { name: 'dpop', label: t('clients.dpop'), meaning: t('clients.dpopMeaning'), isChosen: dpop },
        ]}
      />
    </>
  );
}

export interface NewClientModel extends AddState {
  readonly form: NewClientForm;
}

export function renderNewClient({ form, ...state }: NewClientModel): string {
  const t = textsIn(state.frame.presentation.language);
  return renderAddPage({
    ...state,
    path: clientsPath(t),
    title: t('common.addMachineClient'),
    about: t('clients.nextPageHasSecret'),
    first: (errorOf) => <NameField form={form} errorOf={errorOf} />,
    id: {
      label: t('access.clientId'),
      hint: t('clients.idFollows'),
      value: form.id,
      follows: 'displayName',
    },
    fields: (errorOf) => <NewClientFields form={form} errorOf={errorOf} />,
  });
}
