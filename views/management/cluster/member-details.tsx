/** What a member says of itself: connections, versions, and the little that members tell of their configuration. */
import { Said, Text, useText } from '../../texts/elements.tsx';
import { numberIn, type Translate } from '../../texts/text.ts';
import { type Fact, Facts, Id, Part } from '../detail.tsx';

/** As the admin API has it. */
export interface ShownDetails {
  readonly connections: { readonly clients: number | null; readonly all: number | null } | null;
  readonly sees: readonly string[] | null;
  readonly instance: string | null;
  readonly build: string | null;
  readonly java: string | null;
  readonly nodeState: string | null;
  readonly migrationQueueSize: number | null;
  readonly memberList: readonly string[] | null;
  readonly sentSections: readonly string[] | null;
  readonly unknown: readonly { readonly part: string; readonly reason: string }[];
}

const operationsHref = '/cluster/operations';

export function MemberDetails({ details }: { readonly details: ShownDetails }) {
  const t = useText();
  return (
    <>
      <Part id="connections" title={t('members.connections')} about={t('members.connectionsAbout')}>
        <Facts facts={connectionFacts(details, t)} />
      </Part>
      <Part id="configuration" title={t('members.configuration')} about={t('members.configurationAbout')}>
        <Facts facts={configurationFacts(details, t)} />
      </Part>
    </>
  );
}

function connectionFacts(details: ShownDetails, t: Translate): readonly Fact[] {
  const { connections, sees } = details;
  const [clients, all] = [connections?.clients ?? null, connections?.all ?? null];
  const number = (value: number | null) =>
    value === null ? <NotSaid details={details} part="cluster" /> : numberIn(t.language, value);
  return [
    { name: t('members.connectionsOfClients'), value: number(clients) },
    { name: t('members.connectionsInAll'), value: number(all) },
    { name: t('members.seesMembers'), value: <Values values={sees} details={details} part="cluster" /> },
  ];
}

function configurationFacts(details: ShownDetails, t: Translate): readonly Fact[] {
  const { instance, build, java, nodeState, migrationQueueSize, memberList, sentSections } = details;
  const text = (value: string | null, part: string) =>
    value === null ? <NotSaid details={details} part={part} /> : <Id>{value}</Id>;
  return [
    { name: t('members.instance'), value: text(instance, 'instance') },
    { name: t('members.build'), value: text(build, 'nodes') },
    { name: t('members.java'), value: text(java, 'nodes') },
    { name: t('members.nodeState'), value: text(nodeState, 'health') },
    {
      name: t('members.migrationQueue'),
      value: text(migrationQueueSize === null ? null : numberIn(t.language, migrationQueueSize), 'health'),
    },
    {
      name: t('members.memberList'),
      value: <Values values={memberList} details={details} part="memberList" />,
    },
    ...(sentSections === null
      ? []
      : [{ name: t('members.sentSections'), value: <SentSections sections={sentSections} /> }]),
    { name: t('members.otherConfiguration'), value: <span class="muted">{t('members.notTold')}</span> },
  ];
}

interface NotSaidProps {
  readonly details: ShownDetails;
  readonly part: string;
}

/** With the reason, where there is one. */
function NotSaid({ details: { unknown }, part }: NotSaidProps) {
  const t = useText();
  const why = unknown.find((one) => one.part === part)?.reason;
  if (why === undefined) return <span class="muted">{t('members.unknown')}</span>;
  return (
    <span class="muted">
      <Text id="members.unknownBecause" gaps={{ why: <Said>{why}</Said> }} />
    </span>
  );
}

function Values({ values, ...notSaid }: NotSaidProps & { readonly values: readonly string[] | null }) {
  const t = useText();
  if (values === null) return <NotSaid {...notSaid} />;
  if (values.length === 0) return <>{t('common.none')}</>;
  return <bdi class="code">{values.join(', ')}</bdi>;
}

function SentSections({ sections }: { readonly sections: readonly string[] }) {
  const t = useText();
  return (
    <>
      {sections.length === 0 ? t('members.nothingSent') : <bdi class="code">{sections.join(', ')}</bdi>}{' '}
      <a href={operationsHref}>{t('common.operations')}</a>
    </>
  );
}
