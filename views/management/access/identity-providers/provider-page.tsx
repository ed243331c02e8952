/** One identity provider: who signs in by it, with which roles, and what stands between here and there. */
import { renderDocument } from '../../../layout.tsx';
import { useText } from '../../../texts/elements.tsx';
import { saidIn, type Translate, type WordKey } from '../../../texts/text.ts';
import { Ago, dateOf } from '../../ago.tsx';
import { DetailPage, Done, type DoneNotice, type Fact, Facts, Id, More, Part } from '../../detail.tsx';
import { EditPart, type EditState } from '../../forms/change-form.tsx';
import type { FrameModel } from '../../frame.tsx';
import { History, type HistoryModel } from '../../history/history.tsx';
import { switchAct, ToEnable } from '../switch.tsx';
import { Certificates } from './certificates.tsx';
import { documentFacts } from './metadata-age.tsx';
import { ProviderFields, type ProviderForm, providerHref, providersPath } from './provider-form.tsx';
import { Failure, kindOf, LinkedUsers, ProviderState, type ShownProvider } from './provider-parts.tsx';
import { DryRun, ProviderTrial, type ShownDryRun } from './provider-trial.tsx';

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
  const { id, name, readable } = provider;
  const href = providerHref(id);
  return (
    <DetailPage
      frame={frame}
      path={providersPath(t)}
      title={name ?? id}
      state={<ProviderState {...provider} />}
      acts={mayChange && readable && <ToDryRun />}
      about={
        <>
          {sentenceOf(provider, t)}
          {mayChange && readable && !provider.enabled && <ToEnable />}
        </>
      }
      problem={errors.length > 0 ? t('common.nothingWasSaved') : problemOf(provider, t)}
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
    >
      {trial && (
        <ProviderTrial
          {...trial}
          enableHref={mayChange && trial.ok && !provider.enabled ? `${href}?do=enable` : undefined}
        />
      )}
      <Facts facts={factsOf(provider, frame.now, t)} />
      {readable && <Addresses {...provider} />}
      {readable && <RoleRules {...provider} />}
      <Certificates provider={provider} now={frame.now} />
      {readable && mayChange && <DryRun {...model} />}
      {readable && mayChange && <Edit {...model} />}
      {model.history && <History {...model.history} href={href} now={frame.now} />}
      {mayChange && <LastActs {...model} />}
    </DetailPage>
  );
}

/** Of whom nobody has come by, nobody is put out: then it is disabled at once. */
function LastActs({ provider: { id, readable, enabled, linkedUsers }, csrf }: ProviderModel) {
  const t = useText();
  const href = providerHref(id);
  const disable =
    linkedUsers === 0
      ? switchAct({ isEnabled: true, href, csrf }, t)
      : { label: t('access.disable'), href: `${href}?do=disable`, isMild: true };
  const enable = { label: t('access.enable'), href: `${href}?do=enable`, isMild: true };
  const remove = linkedUsers === 0 ? t('access.remove') : t('providers.removeWithUsers');
  return (
    <More
      acts={[...(readable ? [enabled ? disable : enable] : []), { label: remove, href: `${href}?do=remove` }]}
    />
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

function ToDryRun() {
  const t = useText();
  return (
    <a class="button" href="#dry-run">
      {t('providers.dryRun')}
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
    ...documentFacts(provider, now, t),
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
