import { Field, Form, NewPasswordFields } from './elements/form.tsx';
import { Link } from './elements/link.tsx';
import { OwnAddress, type OwnAddressProps } from './elements/own-address.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import { Problem } from './message.tsx';
import type { Presentation } from './presentation.ts';
import { Said, Text, useText } from './texts/elements.tsx';

/** Where somebody chooses a password by a link that an administrator has given them. */
export interface InvitationModel {
  readonly action: string;
  readonly csrf: string;
  /** The secret of the link; it goes back with the form as `token`. */
  readonly invitation: string;
  readonly username: string;
  readonly minPasswordLength: number;
  /** Where this console is, for a request that named another host. */
  readonly ownAddress?: OwnAddressProps | undefined;
  readonly problem?: string | undefined;
}

/** Sends `password`, `password_again`, with `csrf` and `token`; `username` is there for password managers. */
export function renderInvitation(model: InvitationModel, presentation?: Presentation): string {
  return renderDocument(<Invitation {...model} />, presentation);
}

function Invitation({ action, csrf, invitation, username, ...model }: InvitationModel) {
  const { minPasswordLength, ownAddress, problem } = model;
  const t = useText();
  const problemId = problem === undefined ? undefined : 'problem';
  return (
    <NarrowPage title={t('invitation.title')} hasProblem={problem !== undefined}>
      <p class="lede">{t('invitation.about')}</p>
      {ownAddress && <OwnAddress {...ownAddress} />}
      {problem && (
        <Problem id="problem">
          <Said>{problem}</Said>
        </Problem>
      )}
      <Form action={action} hidden={{ csrf, token: invitation }}>
        <Field
          name="username"
          label={t('field.username')}
          autocomplete="username"
          value={username}
          isReadOnly
        />
        <NewPasswordFields minLength={minPasswordLength} problemId={problemId} />
        <div class="actions">
          <button type="submit" class="button primary">
            {t('invitation.set')}
          </button>
        </div>
      </Form>
    </NarrowPage>
  );
}

export interface PasswordChosenModel {
  readonly username: string;
  readonly loginHref: string;
}

export function renderPasswordChosen(model: PasswordChosenModel, presentation?: Presentation): string {
  return renderDocument(<PasswordChosen {...model} />, presentation);
}

function PasswordChosen({ username, loginHref }: PasswordChosenModel) {
  const t = useText();
  return (
    <NarrowPage title={t('invitation.doneTitle')}>
      <p class="lede">
        <Text id="invitation.done" gaps={{ name: <b>{username}</b> }} />
      </p>
      <div class="actions">
        <Link href={loginHref} class="button primary">
          {t('act.signIn')}
        </Link>
      </div>
    </NarrowPage>
  );
}
