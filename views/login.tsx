import { Field, Form, PasswordField } from './form.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import { Link } from './link.tsx';
import { Problem } from './message.tsx';

/** A way to sign in that another party answers for. */
export interface LoginProvider {
  readonly name: string;
  readonly href: string;
}

export interface LoginModel {
  readonly action: string;
  readonly csrf: string;
  /** What was typed before, or who has to confirm the password. */
  readonly username?: string | undefined;
  /** Must not tell an unknown user from a wrong password (S28). */
  readonly problem?: string | undefined;
  /** The application that asks for the sign-in. */
  readonly application?: { readonly name: string } | undefined;
  /** How long the next attempt has to wait (S29). */
  readonly retryAfterSeconds?: number | undefined;
  /** The user is known and has to confirm the password. */
  readonly reauthenticate?: boolean | undefined;
  readonly cancelHref?: string | undefined;
  readonly providers?: readonly LoginProvider[] | undefined;
}

/** Sends `username`, `password` and `csrf`. */
export function renderLogin(model: LoginModel): string {
  return renderDocument(<Login {...model} />);
}

function Login({ action, csrf, username, problem, application, ...rest }: LoginModel) {
  const { retryAfterSeconds, reauthenticate = false, cancelHref, providers = [] } = rest;
  const hasProblem = problem !== undefined || retryAfterSeconds !== undefined;
  // Having to wait is no fault of what was typed, so no field is marked for it.
  const problemId = hasProblem && retryAfterSeconds === undefined ? 'problem' : undefined;
  return (
    <NarrowPage title={reauthenticate ? 'Confirm that it is you' : 'Sign in'} hasProblem={hasProblem}>
      <Purpose application={application} reauthenticate={reauthenticate} />
      {hasProblem && (
        <Problem id="problem">
          {problem ?? 'Too many attempts.'}
          {retryAfterSeconds !== undefined && ` Try again in ${inWords(retryAfterSeconds)}.`}
        </Problem>
      )}
      <Form action={action} hidden={{ csrf }}>
        <Field
          name="username"
          label="Username"
          autocomplete="username"
          value={username}
          isReadOnly={reauthenticate}
          problemId={problemId}
        />
        <PasswordField
          name="password"
          label="Password"
          autocomplete="current-password"
          problemId={problemId}
        />
        <div class="actions">
          <button type="submit" class="button primary">
            {reauthenticate ? 'Confirm' : 'Sign in'}
          </button>
          <Link href={cancelHref} class="button quiet">
            Cancel
          </Link>
        </div>
      </Form>
      {providers.length > 0 && <Providers providers={providers} />}
    </NarrowPage>
  );
}

function Purpose({ application, reauthenticate }: Pick<LoginModel, 'application' | 'reauthenticate'>) {
  if (application !== undefined) {
    return (
      <p class="lede">
        <strong>{application.name}</strong>{' '}
        {reauthenticate ? 'asks for your password once more.' : 'asks who you are.'}
      </p>
    );
  }
  if (reauthenticate) return <p class="lede">What comes next needs your password once more.</p>;
  return <p class="lede">With your account at this console.</p>;
}

function Providers({ providers }: { readonly providers: readonly LoginProvider[] }) {
  return (
    <section class="providers" aria-labelledby="providers">
      <h2 id="providers">Or sign in with</h2>
      <ul>
        {providers.map(({ name, href }) => (
          <li key={href}>
            <Link href={href} class="button">
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function inWords(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 120) return whole === 1 ? 'one second' : `${whole} seconds`;
  return `${Math.ceil(whole / 60)} minutes`;
}
