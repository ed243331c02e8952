/** Identity providers: where people's accounts come from besides this console. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Ago } from '../ago.tsx';
import { EditPart, type EditState, type Owner } from '../change-form.tsx';
import { DetailPage, Done, type Fact, Facts, Id, More, Part } from '../detail.tsx';
import { SecretField, TextField } from '../fields.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { History, type HistoryModel } from '../history/history.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { NameCell } from '../name-cell.tsx';
import { State } from '../state.tsx';
import {
  ProviderFields,
  type ProviderForm,
  providersHref,
  providersPath,
} from './identity-provider-form.tsx';

/** As the admin API has it. */
export interface ShownProvider {
  readonly id: string;
  /** false: nobody signs in by it, and `problem` says why. */
  readonly readable: boolean;
  readonly problem: string | null;
  readonly kind: ProviderKind | null;
  readonly name: string | null;
  readonly enabled: boolean;
  readonly roleRules: readonly string[];
  readonly defaultRole: string | null;
  readonly position: number | null;
  readonly callbackUrl: string | null;
  readonly testUrl: string | null;
  readonly settings: Readonly<Record<string, unknown>> | null;
  readonly linkedUsers: number;
  readonly lastSignInAt: string | null;
  readonly lastFailure: { readonly at: string; readonly reason: string } | null;
  readonly createdAt: string | null;
  readonly owner: Owner;
}

export type ProviderKind = 'oidc' | 'saml' | 'ldap';

export const kindNames: Readonly<Record<ProviderKind, string>> = {
  oidc: 'OpenID Connect',
  saml: 'SAML 2.0',
  ldap: 'LDAP directory',
};

export function providerHref(id: string): string {
  return `${providersHref}/${encodeURIComponent(id)}`;
}

export interface ProvidersModel extends ListState {
  readonly providers: readonly ShownProvider[];
  readonly filters: FiltersModel;
}

export function renderProviders({ providers, ...list }: ProvidersModel): string {
  const { now } = list.frame;
  return renderDocument(
    <ListPage
      {...list}
      title="Identity providers"
      about="Where people sign in with the account that they have elsewhere, and which roles that gives them."
      columns={[
        { title: 'Name' },
        { title: 'Kind' },
        { title: 'State' },
        { title: 'Order', isNumber: true },
        { title: 'Users', isNumber: true },
        { title: 'Last sign-in' },
        { title: 'Last failure' },
      ]}
      rows={providers.map((provider) => ({
        key: provider.id,
        cells: [
          <NameCell
            key="name"
            id={provider.id}
            displayName={provider.name === provider.id ? null : provider.name}
            href={providerHref(provider.id)}
          />,
          kindOf(provider),
          <ProviderState key="state" {...provider} />,
          provider.position === null ? '-' : String(provider.position),
          <LinkedUsers key="users" {...provider} />,
          <Ago key="last" at={dateOf(provider.lastSignInAt)} now={now} />,
          provider.lastFailure === null ? (
            'None'
          ) : (
            <Ago key="failed" at={new Date(provider.lastFailure.at)} now={now} />
          ),
        ],
      }))}
      empty={
        <p>
          People sign in with a password of this console alone. With an identity provider, such as Keycloak,
          Entra ID or a directory, they use the account that they have at work.
        </p>
      }
    />,
  );
}

function kindOf({ kind }: ShownProvider): string {
  return kind === null ? 'Unknown' : kindNames[kind];
}

function dateOf(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}

function ProviderState({ readable, enabled }: ShownProvider) {
  if (!readable) return <State kind="danger">Cannot be read</State>;
  return enabled ? <State kind="ok">Enabled</State> : <State kind="off">Disabled</State>;
}

function LinkedUsers({ id, linkedUsers }: ShownProvider) {
  const number = new Intl.NumberFormat('en').format(linkedUsers);
  return linkedUsers === 0 ? (
    <span>{number}</span>
  ) : (
    <a href={`/access/users?provider=${encodeURIComponent(id)}`}>{number}</a>
  );
}

/** What a dry run has said of each of its steps. */
export interface TrialStep {
  readonly step: string;
  readonly ok: boolean;
  readonly said: string;
  readonly advice: string | null;
}

export interface ProviderModel extends EditState {
  readonly frame: FrameModel;
  readonly provider: ShownProvider;
  readonly form: ProviderForm;
  readonly mayChange: boolean;
  /** Absent for who may not read the audit. */
  readonly history?: HistoryModel | undefined;
  /** Who reads it may sign in as a trial. */
  readonly mayTry: boolean;
  readonly notice?: { readonly text: string } | undefined;
  /** Of a dry run that was just made. */
  readonly trial?: { readonly ok: boolean; readonly steps: readonly TrialStep[] } | undefined;
}

export function renderProvider(model: ProviderModel): string {
  const { frame, provider, errors, notice, csrf, trial, mayChange } = model;
  const { id, name, readable, linkedUsers } = provider;
  const href = providerHref(id);
  return renderDocument(
    <DetailPage
      frame={frame}
      path={providersPath}
      title={name ?? id}
      state={<ProviderState {...provider} />}
      acts={mayChange && readable && <FirstAct {...provider} />}
      about={sentenceOf(provider)}
      problem={errors.length > 0 ? 'Nothing was saved.' : (provider.problem ?? undefined)}
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
    >
      {trial && <Trial {...trial} />}
      <Facts facts={factsOf(provider, frame.now)} />
      {readable && <Addresses {...provider} />}
      {readable && <RoleRules {...provider} />}
      <Certificates provider={provider} now={frame.now} />
      {readable && mayChange && <DryRun {...model} />}
      {readable && mayChange && <Edit {...model} />}
      {model.history && <History {...model.history} href={href} now={frame.now} />}
      {mayChange && (
        <More
          acts={[
            ...(readable && provider.enabled ? [{ label: 'Disable', href: `${href}?do=disable` }] : []),
            {
              label: linkedUsers === 0 ? 'Remove' : 'Remove with its users',
              href: `${href}?do=remove`,
            },
          ]}
        />
      )}
    </DetailPage>,
  );
}

function sentenceOf({ readable, enabled, kind, roleRules, defaultRole }: ShownProvider): string {
  if (!readable) return 'Nobody signs in by it: what is stored of it cannot be read.';
  const how = kind === 'ldap' ? 'name and password of the directory' : 'a link on the sign-in page';
  const rules = roleRules.length === 1 ? 'one rule' : `${roleRules.length} rules`;
  const roles =
    roleRules.length === 0
      ? `everybody gets the role ${defaultRole}`
      : `roles come from ${rules}, and ${defaultRole === null ? 'whoever fits none is refused' : `from ${defaultRole} for whoever fits none`}`;
  return enabled
    ? `People sign in by ${how}; ${roles}.`
    : `Nobody signs in by it while it is disabled; ${roles}.`;
}

function FirstAct({ id, enabled }: ShownProvider) {
  return enabled ? (
    <a class="button" href="#dry-run">
      Dry run
    </a>
  ) : (
    <a class="button primary" href={`${providerHref(id)}?do=enable`}>
      Enable
    </a>
  );
}

function factsOf(provider: ShownProvider, now: Date): readonly Fact[] {
  const { id, lastSignInAt, lastFailure, createdAt, position } = provider;
  return [
    { name: 'ID', value: <Id>{id}</Id> },
    { name: 'Kind', value: kindOf(provider) },
    { name: 'Users from there', value: <LinkedUsers {...provider} /> },
    { name: 'Last sign-in', value: <Ago at={dateOf(lastSignInAt)} now={now} /> },
    {
      name: 'Last failure',
      value:
        lastFailure === null ? (
          'None'
        ) : (
          <>
            <Ago at={new Date(lastFailure.at)} now={now} />: <bdi>{lastFailure.reason}</bdi>
          </>
        ),
    },
    { name: 'Order', value: position === null ? 'Behind all that have one' : String(position) },
    ...(createdAt === null ? [] : [{ name: 'Added', value: <Ago at={new Date(createdAt)} now={now} /> }]),
  ];
}

const addressNames: Readonly<Record<string, string>> = {
  postLogoutUrl: 'After sign-out',
  backchannelLogoutUrl: 'Back-channel logout',
  ownEntityId: 'Entity ID and metadata',
  ownLogoutUrl: 'Single logout service',
};

/** What is pasted at the provider. */
function Addresses({ callbackUrl, settings }: ShownProvider) {
  if (callbackUrl === null) return null;
  const others = Object.entries(addressNames).flatMap(([name, title]) => {
    const address = settings?.[name];
    return typeof address === 'string' ? [{ name: title, value: <Id>{address}</Id> }] : [];
  });
  return (
    <Part id="addresses" title="Register at the provider">
      <Facts facts={[{ name: 'Callback URL', value: <Id>{callbackUrl}</Id> }, ...others]} />
    </Part>
  );
}

function RoleRules({ roleRules, defaultRole }: ShownProvider) {
  const [rules, others] = [roleRules.map(ruleOf), defaultRole ?? 'Refused'];
  return (
    <Part
      id="roles"
      title="Role rules"
      about="What the provider says of a person, and the role that it gives. They are looked at anew at each sign-in."
    >
      <Facts
        facts={[
          ...rules.map(({ claim, role }) => ({ name: claim, value: <bdi>{role}</bdi> })),
          { name: 'Whoever fits none', value: <bdi>{others}</bdi> },
        ]}
      />
    </Part>
  );
}

/** The value may have an arrow in it: the last one counts. */
function ruleOf(rule: string) {
  const at = rule.lastIndexOf(' -> ');
  return { claim: rule.slice(0, at), role: rule.slice(at + 4) };
}

interface ShownCertificate {
  readonly subject: string;
  readonly validTo: string;
  readonly sha256: string;
}

interface CertificatesProps {
  readonly provider: ShownProvider;
  readonly now: Date;
}

function Certificates({ provider: { settings }, now }: CertificatesProps) {
  const { certificates = [], ownCertificate } = (settings ?? {}) as {
    readonly certificates?: readonly ShownCertificate[];
    readonly ownCertificate?: ShownCertificate | null;
  };
  const all = [
    ...certificates.map((certificate) => ({ ...certificate, whose: 'Of the provider' })),
    ...(ownCertificate ? [{ ...ownCertificate, whose: 'Of this console' }] : []),
  ];
  if (all.length === 0) return null;
  return (
    <Part id="certificates" title="Certificates">
      <Facts
        facts={all.map(({ whose, subject, validTo, sha256 }) => ({
          name: whose,
          value: (
            <>
              <bdi>{subject}</bdi>, until <Ago at={new Date(validTo)} now={now} />
              <br />
              SHA-256 <Id>{sha256}</Id>
            </>
          ),
        }))}
      />
    </Part>
  );
}

function Trial({ ok, steps }: NonNullable<ProviderModel['trial']>) {
  return (
    <Part
      id="trial"
      title="Dry run"
      about={ok ? 'Every step went well. Nothing was created.' : 'A step has failed. Nothing was created.'}
    >
      <Facts
        facts={steps.map(({ step, ok, said, advice }) => ({
          name: step,
          value: (
            <>
              <State kind={ok ? 'ok' : 'danger'}>{ok ? 'Well' : 'Failed'}</State> <bdi>{said}</bdi>
              {advice !== null && <span class="hint">{advice}</span>}
            </>
          ),
        }))}
      />
    </Part>
  );
}

function DryRun({ provider: { id, kind, testUrl }, csrf, mayTry }: ProviderModel) {
  return (
    <Part
      id="dry-run"
      title="Try it"
      about="A dry run goes as far as it can without a person, and creates nothing; a disabled provider can be tried, too."
      acts={
        mayTry &&
        testUrl !== null && (
          <a class="button" href={testUrl}>
            Test sign-in
          </a>
        )
      }
    >
      {mayTry && testUrl !== null && (
        <p class="hint">A test sign-in shows the claims that come, and the roles that they give.</p>
      )}
      <Form action={providerHref(id)} hidden={{ csrf, do: 'test' }}>
        {kind === 'ldap' && (
          <>
            <TextField
              name="username"
              label="User name"
              hint="Of somebody in the directory, to see the attributes and the roles that they give."
              isOptional
              value=""
            />
            <SecretField name="password" label="Password in the directory" isOptional />
          </>
        )}
        <div class="actions">
          <button type="submit" class="button">
            Dry run
          </button>
        </div>
      </Form>
    </Part>
  );
}

function Edit({ provider, form, ...state }: ProviderModel) {
  return (
    <EditPart
      {...state}
      href={providerHref(provider.id)}
      about="Changed role rules count from each person's next sign-in. A secret that is left empty stays as it is."
      fields={(errorOf) => <ProviderFields {...form} errorOf={errorOf} />}
    />
  );
}
