import { Link } from './elements/link.tsx';
import { Section } from './elements/section.tsx';
import { renderDocument, type SignOutForm, WidePage } from './layout.tsx';
import { Notice, Problem } from './message.tsx';
import type { Presentation } from './presentation.ts';
import { Said, Text, useText } from './texts/elements.tsx';
import type { WordKey } from './texts/text.ts';

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
  const t = useText();
  const title = t('testSignIn.title', { name: provider.name });
  const isAgain = result !== undefined || problem !== undefined;
  return (
    <WidePage title={title} hasProblem={problem !== undefined} username={username} signOut={signOut}>
      <header class="page-head">
        <h1>{title}</h1>
        <p class="lede">
          <Text
            id={provider.isEnabled ? 'testSignIn.about' : 'testSignIn.aboutDisabled'}
            gaps={{ kind: provider.kind, id: <code>{provider.id}</code> }}
          />
        </p>
      </header>
      {problem && (
        <Problem id="problem">
          <Said>{problem}</Said>
        </Problem>
      )}
      {result && <Outcome {...result} />}
      {result && <Account {...result} />}
      {result && <Rules {...result} />}
      {result && <Claims {...result} />}
      <div class="actions">
        <Link href={startHref} class="button primary">
          {isAgain ? t('testSignIn.again') : t('testSignIn.signInAt', { name: provider.name })}
        </Link>
      </div>
    </WidePage>
  );
}

function Outcome({ roles, account }: TestResult) {
  const t = useText();
  if (account.state === 'disabled') {
    return <Problem id="outcome">{t('testSignIn.refusedDisabled')}</Problem>;
  }
  if (roles.length === 0) {
    return <Problem id="outcome">{t('testSignIn.refusedNoRule')}</Problem>;
  }
  return <Notice>{t('testSignIn.wouldWork', { roles: roles.join(', ') })}</Notice>;
}

const states: Readonly<Record<TestResult['account']['state'], WordKey>> = {
  known: 'testSignIn.known',
  disabled: 'testSignIn.knownDisabled',
  new: 'testSignIn.new',
};

function Account({ account, subject, username, email, name }: TestResult) {
  const t = useText();
  const facts = [
    [t('users.subject'), subject],
    [t('users.userName'), username],
    [t('field.email'), email],
    [t('common.name'), name],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined);
  return (
    <Section id="account" title={t('testSignIn.account')} about={t('testSignIn.accountAbout')}>
      <dl class="facts boxed">
        <div>
          <dt>{t('testSignIn.accountHere')}</dt>
          <dd>
            {account.username}
            <p class="muted">{t(states[account.state])}</p>
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
  const t = useText();
  return (
    <Section id="rules" title={t('providers.roleRules')} about={t('testSignIn.exactly')}>
      {rules.length === 0 ? (
        <p class="empty">{t('testSignIn.noRules')}</p>
      ) : (
        <ul class="rows boxed">
          {rules.map(({ condition, role, isMatched }) => (
            <li key={`${condition} ${role}`}>
              <h3>
                <code>{condition}</code> → {role}
              </h3>
              <p class="muted">{isMatched ? t('testSignIn.matches') : t('testSignIn.matchesNot')}</p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Claims({ claims }: TestResult) {
  const t = useText();
  return (
    <Section id="claims" title={t('testSignIn.claims')} about={t('testSignIn.claimsAbout')}>
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
