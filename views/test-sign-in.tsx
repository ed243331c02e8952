import { Link } from './elements/link.tsx';
import { Section } from './elements/section.tsx';
import { renderDocument, type SignOutForm, WidePage } from './layout.tsx';
import { Notice, Problem } from './message.tsx';
import type { Presentation } from './presentation.ts';

/** What an identity provider sends of somebody, and what a sign-in would make of it. */
export interface TestSignInModel {
  /** The administrator who looks. */
  readonly username: string;
  readonly signOut: SignOutForm;
  readonly provider: {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly isEnabled: boolean;
  };
  /** Leads to the provider. */
  readonly startHref: string;
  readonly result?: TestResult | undefined;
  readonly problem?: string | undefined;
}

interface TestResult {
  readonly subject: string;
  readonly username?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly claims: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly rules: readonly {
    readonly condition: string;
    readonly role: string;
    readonly isMatched: boolean;
  }[];
  readonly roles: readonly string[];
  readonly account: { readonly username: string; readonly state: 'known' | 'disabled' | 'new' };
}

export function renderTestSignIn(model: TestSignInModel, presentation?: Presentation): string {
  return renderDocument(<TestSignIn {...model} />, presentation);
}

function TestSignIn({ username, signOut, provider, startHref, result, problem }: TestSignInModel) {
  const isAgain = result !== undefined || problem !== undefined;
  return (
    <WidePage
      title={`Test sign-in with ${provider.name}`}
      hasProblem={problem !== undefined}
      username={username}
      signOut={signOut}
    >
      <header class="page-head">
        <h1>Test sign-in with {provider.name}</h1>
        <p class="lede">
          {provider.kind}, <code>{provider.id}</code>
          {provider.isEnabled ? '' : ', disabled'}. Nobody is signed in by this test, and no account is made.
        </p>
      </header>
      {problem && <Problem id="problem">{problem}</Problem>}
      {result && <Outcome {...result} />}
      {result && <Account {...result} />}
      {result && <Rules {...result} />}
      {result && <Claims {...result} />}
      <div class="actions">
        <Link href={startHref} class="button primary">
          {isAgain ? 'Test again' : `Sign in at ${provider.name}`}
        </Link>
      </div>
    </WidePage>
  );
}

function Outcome({ roles, account }: TestResult) {
  if (account.state === 'disabled') {
    return <Problem id="outcome">A sign-in would be refused: the account is disabled here.</Problem>;
  }
  if (roles.length === 0) {
    return (
      <Problem id="outcome">
        A sign-in would be refused: no rule matches, and the provider has no default role.
      </Problem>
    );
  }
  return <Notice>A sign-in would work, with {roles.join(', ')}.</Notice>;
}

const states = {
  known: 'This account is there already.',
  disabled: 'This account is there, and disabled.',
  new: 'The first sign-in would make this account.',
} as const;

function Account({ account, subject, username, email, name }: TestResult) {
  const facts = [
    ['Subject', subject],
    ['User name', username],
    ['Email', email],
    ['Name', name],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined);
  return (
    <Section id="account" title="Account" about="An account belongs to the provider and the subject.">
      <dl class="facts boxed">
        <div>
          <dt>Account here</dt>
          <dd>
            {account.username}
            <p class="muted">{states[account.state]}</p>
          </dd>
        </div>
        {facts.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd class="code select-all">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function Rules({ rules }: TestResult) {
  return (
    <Section id="rules" title="Role rules" about="Both sides of a rule compare exactly.">
      {rules.length === 0 ? (
        <p class="empty">This provider has no rules, only a default role.</p>
      ) : (
        <ul class="rows boxed">
          {rules.map(({ condition, role, isMatched }) => (
            <li key={`${condition} ${role}`}>
              <h3>
                <code>{condition}</code> → {role}
              </h3>
              <p class="muted">{isMatched ? 'Matches' : 'Does not match'}</p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Claims({ claims }: TestResult) {
  return (
    <Section id="claims" title="Claims" about="What the provider has sent, by the names that rules use.">
      <dl class="facts boxed">
        {claims.map(({ name, values }) => (
          <div key={name}>
            <dt class="code">{name}</dt>
            <dd class="code select-all">
              {values.map((value) => (
                <p key={value}>{value}</p>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
