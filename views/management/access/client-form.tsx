/** Fields of a machine client, and the page that adds one. */
import { useText } from '../../texts/elements.tsx';
import { type Translate, textsIn } from '../../texts/text.ts';
import { type AddState, type ErrorOf, renderAddPage } from '../forms/change-form.tsx';
import { SelectField, TextField } from '../forms/fields.tsx';
import { AccessFields, type AccessForm } from './access-fields.tsx';

export interface ClientForm {
  readonly displayName: string;
  readonly access: AccessForm;
  readonly tokenAlg: string;
}

export const clientsPath = (t: Translate) => [{ title: t('common.machineClients'), href: '/access/clients' }];

interface ClientFieldsProps {
  readonly form: ClientForm;
  readonly errorOf: ErrorOf;
}

const algorithms = ['RS256', 'ES256', 'EdDSA'].map((value) => ({ value, label: value }));

export function ClientFields({ form: { displayName, access, tokenAlg }, errorOf }: ClientFieldsProps) {
  const t = useText();
  return (
    <>
      <TextField
        name="displayName"
        label={t('common.name')}
        hint={t('access.whatPeopleSeeOfIt')}
        isOptional
        value={displayName}
        error={errorOf('displayName')}
      />
      <AccessFields form={access} errorOf={errorOf} />
      <SelectField
        name="tokenAlg"
        label={t('clients.signature')}
        options={algorithms}
        value={tokenAlg}
        error={errorOf('tokenAlg')}
      />
    </>
  );
}

export interface NewClientModel extends AddState {
  readonly id: string;
  readonly form: ClientForm;
}

export function renderNewClient({ id, form, ...state }: NewClientModel): string {
  const t = textsIn(state.frame.presentation.language);
  return renderAddPage({
    ...state,
    path: clientsPath(t),
    title: t('common.addMachineClient'),
    about: t('clients.nextPageHasSecret'),
    id: {
      label: t('access.clientId'),
      hint: t('clients.idHint'),
      value: id,
    },
    fields: (errorOf) => <ClientFields form={form} errorOf={errorOf} />,
  });
}
