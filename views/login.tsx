import { Field, Form, PasswordField } from './elements/form.tsx';
import { Link } from './elements/link.tsx';
import { OwnAddress } from './elements/own-address.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import { Problem } from './message.tsx';
import type { Presentation } from './presentation.ts';
import { Said, Text, useText } from './texts/elements.tsx';
import { retryText } from './texts/retry.ts';

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
  /** Of a problem that is no fault of what was typed, for who has to look for it. */
  readonly reference?: { readonly code: string; readonly requestId: string } | undefined;
  /** The application that asks for the sign-in. */
  readonly application?: { readonly name: string } | undefined;
  /** How long the next attempt has to wait (S29). */
  readonly retryAfterSeconds?: number | undefined;
  /** The user is known and has to confirm the password. */
  readonly reauthenticate?: boolean | undefined;
  /** Who alone can confirm the known user: nobody here has the password. */
  readonly confirmWith?: LoginProvider | undefined;
  readonly cancelHref?: string | undefined;
  /** Where this console is, for a request that named another host. */
  readonly ownAddress?: string | undefined;
  readonly providers?: readonly LoginProvider[] | undefined;
  /** Where else than here the form's passwords are kept. */
  readonly directories?: readonly string[] | undefined;
}

/** Sends `username`, `password` and `csrf`. */
export function renderLogin(model: LoginModel, presentation?: Presentation): string {
  return renderDocument(<Login {...model} />, presentation);
}

function Login(model: LoginModel) {
  const { username, problem, retryAfterSeconds, reference, confirmWith, providers = [] } = model;
  const hasProblem = problem !== undefined || retryAfterSeconds !== undefined;
  const t = useText();
  return (
    <NarrowPage title={t(model.reauthenticate ? 'login.confirmTitle' : 'act.signIn')} hasProblem={hasProblem}>
      <Purpose {...model} />
      {model.ownAddress && <OwnAddress address={model.ownAddress} />}
      {hasProblem && (
        <Problem id="problem">
          {problem === undefined ? t('login.tooMany') : <Said>{problem}</Said>}
          {retryAfterSeconds !== undefined && ` ${retryText(t, retryAfterSeconds)}`}
          {reference && <Reference {...reference} />}
        </Problem>
      )}
      {confirmWith ? <Confirmation username={username} {...confirmWith} /> : <PasswordForm {...model} />}
      {providers.length > 0 && <Providers providers={providers} />}
    </NarrowPage>
  );
}

function Reference({ code, requestId }: NonNullable<LoginModel['reference']>) {
  return (
    <span class="reference">
      <Text
        id="login.reference"
        gaps={{ code: <span class="code">{code}</span>, request: <span class="code">{requestId}</span> }}
      />
    </span>
  );
}

function PasswordForm(model: LoginModel) {
  const { action, csrf, username, problem, retryAfterSeconds, reference, reauthenticate = false } = model;
  // Having to wait, or trouble elsewhere, is no fault of what was typed: no field is marked for it.
  const isTypingAtFault = problem !== undefined && retryAfterSeconds === undefined && reference === undefined;
  const problemId = isTypingAtFault ? 'problem' : undefined;
  const t = useText();
  return (
    <Form action={action} hidden={{ csrf }}>
      <Field
        name="username"
        label={t('field.username')}
        autocomplete="username"
        value={username}
        isReadOnly={reauthenticate}
        problemId={problemId}
      />
      <PasswordField
        name="password"
        label={t('field.password')}
        autocomplete="current-password"
        problemId={problemId}
      />
      <div class="actions">
        <button type="submit" class="button primary">
          {t(reauthenticate ? 'act.confirm' : 'act.signIn')}
        </button>
        <Link href={model.cancelHref} class="button quiet">
          {t('act.cancel')}
        </Link>
      </div>
    </Form>
  );
}

/** In place of the form. */
function Confirmation({ username, name, href }: LoginProvider & Pick<LoginModel, 'username'>) {
  const t = useText();
  return (
    <>
      <p>
        <Text id="login.keptElsewhere" gaps={{ name: <strong>{username}</strong> }} />
      </p>
      <div class="actions">
        <Link href={href} class="button primary">
          {t('login.with', { name })}
        </Link>
      </div>
    </>
  );
}

function Purpose({ application, reauthenticate, confirmWith, directories = [] }: LoginModel) {
  const t = useText();
  const accounts =
    directories.length === 0
      ? t('login.account')
      : t('login.accountOr', { others: directories.join(t('login.orAt')) });
  if (application !== undefined) {
    const gaps = { application: <strong>{application.name}</strong> };
    const demand = confirmWith ? 'login.asksAgain' : 'login.asksPassword';
    return (
      <p class="lede">
        <Text id={reauthenticate ? demand : 'login.asks'} gaps={gaps} />
        {!reauthenticate && directories.length > 0 && ` ${accounts}`}
      </p>
    );
  }
  return <p class="lede">{reauthenticate ? t('login.again') : accounts}</p>;
}

function Providers({ providers }: { readonly providers: readonly LoginProvider[] }) {
  const t = useText();
  return (
    <section class="providers" aria-labelledby="providers">
      <h2 id="providers">{t('login.orWith')}</h2>
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
