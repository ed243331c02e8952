import { Field, Form, NewPasswordFields } from './elements/form.tsx';
import { Link } from './elements/link.tsx';
import { OwnAddress, type OwnAddressProps } from './elements/own-address.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import { Problem } from './message.tsx';
import type { Presentation } from './presentation.ts';

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
export function renderInvitation(
  { action, csrf, invitation, username, ...model }: InvitationModel,
  presentation?: Presentation,
): string {
  const { minPasswordLength, ownAddress, problem } = model;
  const problemId = problem === undefined ? undefined : 'problem';
  return renderDocument(
    <NarrowPage title="Choose your password" hasProblem={problem !== undefined}>
      <p class="lede">An administrator has made this link for you. It works once.</p>
      {ownAddress && <OwnAddress {...ownAddress} />}
      {problem && <Problem id="problem">{problem}</Problem>}
      <Form action={action} hidden={{ csrf, token: invitation }}>
        <Field name="username" label="Username" autocomplete="username" value={username} isReadOnly />
        <NewPasswordFields minLength={minPasswordLength} problemId={problemId} />
        <div class="actions">
          <button type="submit" class="button primary">
            Set password
          </button>
        </div>
      </Form>
    </NarrowPage>,
    presentation,
  );
}

export interface PasswordChosenModel {
  readonly username: string;
  readonly loginHref: string;
}

export function renderPasswordChosen(
  { username, loginHref }: PasswordChosenModel,
  presentation?: Presentation,
): string {
  return renderDocument(
    <NarrowPage title="Your password is set">
      <p class="lede">
        Sign in with it as <b>{username}</b>. The link does not work any more.
      </p>
      <div class="actions">
        <Link href={loginHref} class="button primary">
          Sign in
        </Link>
      </div>
    </NarrowPage>,
    presentation,
  );
}
