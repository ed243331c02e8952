/** Identity providers: where people's accounts come from besides this console. */
import { renderDocument } from '../../layout.tsx';
import { Said, Text, useText } from '../../texts/elements.tsx';
import { numberIn, saidIn, type Translate, type WordKey } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { DetailPage, Done, type DoneNotice, type Fact, Facts, Id, More, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import { EditPart, type EditState, type Owner } from '../forms/change-form.tsx';
import type { FrameModel } from '../frame.tsx';
import { History, type HistoryModel } from '../history/history.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { NameCell } from '../name-cell.tsx';
import { State } from '../state.tsx';
import { ProviderFields, type ProviderForm, providerHref, providersPath } from './identity-provider-form.tsx';
import { DryRun, ProviderTrial, type ShownDryRun } from './identity-provider-trial.tsx';

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

export const kindNames: Readonly<Record<ProviderKind, WordKey>> = {
  oidc: 'providers.oidc',
  saml: 'providers.saml',
  ldap: 'providers.ldap',
};

export interface ProvidersModel extends ListState {
  readonly providers: readonly ShownProvider[];
  readonly filters: FiltersModel;
}

export function renderProviders(model: ProvidersModel): string {
  return renderDocument(<Providers {...model} />, model.frame.presentation);
}

function Providers({ providers, ...list }: ProvidersModel) {
  const t = useText();
  const { now } = list.frame;
  return (
    <ListPage
      {...list}
      title={t('common.identityProviders')}
      about={t('providers.about')}
      columns={[
        { title: t('common.name') },
        { title: t('access.kind') },
        { title: t('common.state') },
        { title: t('providers.order'), isNumber: true },
        { title: t('common.users'), isNumber: true },
        { title: t('common.lastSignIn') },
        { title: t('providers.lastFailure') },
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
          kindOf(provider, t),
          <span key="state" class="states">
            <ProviderState {...provider} />
            <CertificateEnd provider={provider} now={now} />
          </span>,
          provider.position === null ? '-' : String(provider.position),
          <LinkedUsers key="users" {...provider} />,
          <Ago key="last" at={dateOf(provider.lastSignInAt)} now={now} />,
          provider.lastFailure === null ? (
            <span key="failed" class="muted">
              {t('providers.noFailure')}
            </span>
          ) : (
            <Failure key="failed" {...provider.lastFailure} now={now} />
          ),
        ],
      }))}
      empty={<p>{t('providers.noneYet')}</p>}
    />
  );
}

function kindOf({ kind }: ShownProvider, t: Translate): string {
  return kind === null ? t('access.unknown') : t(kindNames[kind]);
}

function dateOf(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}

function ProviderState({ readable, enabled }: ShownProvider) {
  const t = useText();
  if (!readable) return <State kind="danger">{t('providers.cannotBeRead')}</State>;
  if (enabled) return <State kind="ok">{t('access.enabled')}</State>;
  return <State kind="off">{t('access.disabled')}</State>;
}

interface FailureProps {
  readonly at: string;
  readonly reason: string;
  readonly now: Date;
}

function Failure({ at, reason, now }: FailureProps) {
  return (
    <Text
      id="providers.failureAt"
      gaps={{
        at: <Ago at={new Date(at)} now={now} />,
        why: (
          <bdi>
            <Said>{reason}</Said>
          </bdi>
        ),
      }}
    />
  );
}

function LinkedUsers({ id, linkedUsers }: ShownProvider) {
  const t = useText();
  const number = numberIn(t.language, linkedUsers);
  return linkedUsers === 0 ? (
    <span>{number}</span>
  ) : (
    <a href={`/access/users?provider=${encodeURIComponent(id)}`}>{number}</a>
  );
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
  readonly notice?: DoneNotice | undefined;
  /** Of a dry run that was just made. */
  readonly trial?: ShownDryRun | undefined;
}

export function renderProvider(model: ProviderModel): string {
  return renderDocument(<Provider {...model} />, model.frame.presentation);
}

function Provider(model: ProviderModel) {
  const t = useText();
  const { frame, provider, errors, notice, csrf, trial, mayChange } = model;
  const { id, name, readable, linkedUsers } = provider;
  const href = providerHref(id);
  return (
    <DetailPage
      frame={frame}
      path={providersPath(t)}
      title={name ?? id}
      state={<ProviderState {...provider} />}
      acts={mayChange && readable && <FirstAct {...provider} />}
      about={sentenceOf(provider, t)}
      problem={errors.length > 0 ? t('common.nothingWasSaved') : problemOf(provider, t)}
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
    >
      {trial && <ProviderTrial {...trial} />}
      <Facts facts={factsOf(provider, frame.now, t)} />
      {readable && <Addresses {...provider} />}
      {readable && <RoleRules {...provider} />}
      <Certificates provider={provider} now={frame.now} />
      {readable && mayChange && <DryRun {...model} />}
      {readable && mayChange && <Edit {...model} />}
      {model.history && <History {...model.history} href={href} now={frame.now} />}
      {mayChange && (
        <More
          acts={[
            ...(readable && provider.enabled
              ? [{ label: t('access.disable'), href: `${href}?do=disable` }]
              : []),
            {
              label: linkedUsers === 0 ? t('access.remove') : t('providers.removeWithUsers'),
              href: `${href}?do=remove`,
            },
          ]}
        />
      )}
    </DetailPage>
  );
}

function problemOf({ problem }: ShownProvider, t: Translate): string | undefined {
  return problem === null ? undefined : (saidIn(t.language, problem) ?? problem);
}

function sentenceOf(provider: ShownProvider, t: Translate): string {
  const { readable, enabled, kind } = provider;
  if (!readable) return t('providers.nobodyUnreadable');
  const roles = rolesPhrase(provider, t);
  if (!enabled) return t('providers.whileDisabled', { roles });
  return t(kind === 'ldap' ? 'providers.byDirectory' : 'providers.byLink', { roles });
}

function rolesPhrase({ roleRules, defaultRole }: ShownProvider, t: Translate): string {
  const n = roleRules.length;
  if (defaultRole === null)
    return n === 0 ? t('providers.everybodyRefused') : t('providers.rulesOrRefused', { n });
  if (n === 0) return t('providers.everybodyGets', { role: defaultRole });
  return t('providers.rulesOrRole', { n, role: defaultRole });
}

function FirstAct({ id, enabled }: ShownProvider) {
  const t = useText();
  return enabled ? (
    <a class="button" href="#dry-run">
      {t('providers.dryRun')}
    </a>
  ) : (
    <a class="button primary" href={`${providerHref(id)}?do=enable`}>
      {t('access.enable')}
    </a>
  );
}

function factsOf(provider: ShownProvider, now: Date, t: Translate): readonly Fact[] {
  const { id, lastSignInAt, lastFailure, createdAt, position } = provider;
  return [
    { name: t('providers.id'), value: <Id>{id}</Id> },
    { name: t('access.kind'), value: kindOf(provider, t) },
    { name: t('providers.usersFromThere'), value: <LinkedUsers {...provider} /> },
    { name: t('common.lastSignIn'), value: <Ago at={dateOf(lastSignInAt)} now={now} /> },
    {
      name: t('providers.lastFailure'),
      value: lastFailure === null ? t('providers.noFailure') : <Failure {...lastFailure} now={now} />,
    },
    { name: t('providers.order'), value: position === null ? t('providers.behindAll') : String(position) },
    ...(createdAt === null
      ? []
      : [{ name: t('access.added'), value: <Ago at={new Date(createdAt)} now={now} /> }]),
  ];
}

const addressNames: Readonly<Record<string, WordKey>> = {
  postLogoutUrl: 'providers.afterSignOut',
  backchannelLogoutUrl: 'providers.backChannelLogout',
  ownEntityId: 'providers.entityIdAndMetadata',
  ownLogoutUrl: 'providers.singleLogout',
};

/** What is pasted at the provider. */
function Addresses({ callbackUrl, settings }: ShownProvider) {
  const t = useText();
  if (callbackUrl === null) return null;
  const others = Object.entries(addressNames).flatMap(([name, title]) => {
    const address = settings?.[name];
    return typeof address === 'string' ? [{ name: t(title), value: <Id>{address}</Id> }] : [];
  });
  return (
    <Part id="addresses" title={t('providers.registerThere')}>
      <Facts facts={[{ name: t('providers.callbackUrl'), value: <Id>{callbackUrl}</Id> }, ...others]} />
    </Part>
  );
}

function RoleRules({ roleRules, defaultRole }: ShownProvider) {
  const t = useText();
  const [rules, others] = [roleRules.map(ruleOf), defaultRole ?? t('common.refused')];
  return (
    <Part id="roles" title={t('providers.roleRules')} about={t('providers.roleRulesAbout')}>
      <Facts
        facts={[
          ...rules.map(({ claim, role }) => ({ name: claim, value: <bdi>{role}</bdi> })),
          { name: t('providers.whoeverFitsNone'), value: <bdi>{others}</bdi> },
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

function certificatesIn(settings: ShownProvider['settings']) {
  return (settings ?? {}) as {
    readonly certificates?: readonly ShownCertificate[];
    readonly ownCertificate?: ShownCertificate | null;
  };
}

/** Days before its end within which a list says so. */
const soonDays = 30;

/** Of several of the provider the one that lasts: the others may have been replaced by it. */
function CertificateEnd({ provider: { enabled, settings }, now }: CertificatesProps) {
  const { certificates = [], ownCertificate } = certificatesIn(settings);
  const ends = (all: readonly ShownCertificate[]) => all.map(({ validTo }) => Date.parse(validTo));
  const last = [Math.max(...ends(certificates)), ...ends(ownCertificate ? [ownCertificate] : [])];
  const end = Math.min(...last.filter(Number.isFinite));
  if (!enabled || end - now.getTime() > soonDays * 86_400_000) return null;
  const isOver = end <= now.getTime();
  return (
    <State kind={isOver ? 'danger' : 'warn'}>
      <span>
        <Text
          id={isOver ? 'providers.certificateHasEnded' : 'providers.certificateEnds'}
          gaps={{ when: <Ago at={new Date(end)} now={now} /> }}
        />
      </span>
    </State>
  );
}

function Certificates({ provider: { settings }, now }: CertificatesProps) {
  const t = useText();
  const { certificates = [], ownCertificate } = certificatesIn(settings);
  const all = [
    ...certificates.map((certificate) => ({ ...certificate, whose: t('providers.ofProvider') })),
    ...(ownCertificate ? [{ ...ownCertificate, whose: t('providers.ofConsole') }] : []),
  ];
  if (all.length === 0) return null;
  return (
    <Part id="certificates" title={t('providers.certificates')}>
      <Facts
        facts={all.map(({ whose, subject, validTo, sha256 }) => ({
          name: whose,
          value: (
            <>
              <Text
                id={
                  Date.parse(validTo) < now.getTime()
                    ? 'providers.certificateEnded'
                    : 'providers.certificateUntil'
                }
                gaps={{ subject: <bdi>{subject}</bdi>, until: <Ago at={new Date(validTo)} now={now} /> }}
              />
              <br />
              SHA-256 <Id>{sha256}</Id>
            </>
          ),
        }))}
      />
    </Part>
  );
}

function Edit({ provider, form, ...state }: ProviderModel) {
  const t = useText();
  return (
    <EditPart
      {...state}
      href={providerHref(provider.id)}
      about={t('providers.editAbout')}
      fields={(errorOf) => <ProviderFields {...form} errorOf={errorOf} />}
    />
  );
}
