/** `/api/v1/operations`: what is done to the whole cluster (docs/admin-api.md#the-cluster). A call that may have been carried out is never sent again. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { changesBetween } from '../../operations/changes.ts';
import { type Answer, type Operation, operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import { clusterView, type MemberListNeeds, readCluster, settableStates } from './cluster-state.ts';
import { previewOf, sectionsOf } from './config-preview.ts';
import { type ClusterNeeds, memberProblems, objectIn, reasonQuery } from './member-calls.ts';

/** What members were given as configuration from here. */
export interface SentConfigNeeds {
  readonly sentConfig: {
    read(): Promise<ReadonlyMap<string, string | null>>;
    remember(sections: ReadonlyMap<string, string | null>): Promise<void>;
  };
}

type CommandNeeds = ClusterNeeds & MemberListNeeds & SentConfigNeeds;

const management = '/rest/management/cluster';
const command = { method: 'POST', access: 'write', problems: memberProblems, hasVersion: false } as const;
const danger = { ...command, isDangerous: true } as const;
const configSection = view({ sectionName: z.string(), configName: z.string() });
const configChange = view({
  message: z.string().nullable().meta({ description: 'As the member says it.' }),
  added: z.array(configSection),
  ignored: z.array(configSection).meta({ description: 'There are such ones already.' }),
}).meta({ id: 'MemberConfigChange' });
const configPreview = view({
  isCompared: z
    .boolean()
    .meta({ description: 'False: it is no YAML of which sections could be told apart.' }),
  isCut: z.boolean().meta({ description: 'There are more lines than are shown.' }),
  sections: z.array(
    view({
      sectionName: z.string(),
      configName: z.string().meta({ description: 'Empty: the section is one thing.' }),
      state: z.enum(['new', 'same', 'different', 'there']).meta({
        description:
          'By what members were given from here: new to them, as it is there, otherwise there, or there without that it is known what it says. What is there stays as it is.',
      }),
      lines: z.array(z.strictObject({ change: z.enum(['same', 'added', 'removed']), text: z.string() })),
    }),
  ),
}).meta({ id: 'MemberConfigPreview' });
/** A configuration of members, YAML or XML. */
const longestConfig = 512 * 1024;
const configBody = z.strictObject({
  config: z.string().min(1).max(longestConfig).meta({ example: 'hazelcast:\n  map:\n    orders: {}\n' }),
});

export const clusterOperations: readonly Operation<CommandNeeds>[] = [
  operation({
    id: 'readCluster',
    method: 'GET',
    path: '/operations',
    summary: 'Shows how the cluster is, and what may be done to it, or why not.',
    access: 'read',
    answer: clusterView,
    async run(_call, needs: CommandNeeds) {
      return { body: await readCluster(needs) };
    },
  }),
  operation({
    ...danger,
    id: 'changeClusterState',
    path: '/operations/state',
    summary: 'Moves the cluster to another state.',
    event: 'cluster.state_changed',
    query: reasonQuery,
    body: z.strictObject({ state: z.enum(settableStates).meta({ example: 'no_migration' }) }),
    answer: clusterView,
    run: async ({ body: { state }, query, isDryRun }, needs: CommandNeeds) => ({
      ...(await changed('clusterState', state, { operation: 'changeState', isDryRun }, needs)),
      said: { ...query },
    }),
  }),
  operation({
    ...danger,
    id: 'changeClusterVersion',
    path: '/operations/version',
    summary: 'Raises the version of the cluster, once every member runs the new one.',
    event: 'cluster.version_changed',
    body: z.strictObject({
      version: z
        .string()
        .regex(/^\d{1,3}\.\d{1,3}$/, 'it is two numbers with a point between them, such as 5.5')
        .meta({ example: '5.5' }),
    }),
    answer: clusterView,
    run: ({ body: { version }, isDryRun }, needs: CommandNeeds) =>
      changed('clusterVersion', version, { operation: 'version', isDryRun }, needs),
  }),
  plain('startHotBackup', 'hot-backup', 'backup', 'cluster.backup_started', {
    summary: 'Has the members back up what they persist. A community edition says yes, and does nothing.',
  }),
  plain('interruptHotBackup', 'hot-backup-interrupt', 'backupInterrupt', 'cluster.backup_interrupted', {
    summary: 'Interrupts that backup.',
  }),
  plain('forceStartCluster', 'force-start', 'forceStart', 'cluster.force_started', {
    summary: 'Starts a cluster that cannot recover, without what it has persisted, which is lost.',
    isDangerous: true,
  }),
  plain('partialStartCluster', 'partial-start', 'partialStart', 'cluster.partially_started', {
    summary: 'Starts a cluster with the members that are there, and what they have persisted.',
    isDangerous: true,
  }),
  operation({
    ...command,
    id: 'reloadMemberConfig',
    path: '/operations/reload',
    summary: 'Has the members read their configuration anew, and add what is new in it.',
    event: 'cluster.config_reloaded',
    answer: configChange,
    async run({ isDryRun }, needs: CommandNeeds) {
      const answer = await configChanged('reload', [], needs);
      // Of what members have read themselves, it is known that it is there.
      if (!isDryRun) await needs.sentConfig.remember(sectionsThere(answer.body));
      return answer;
    },
  }),
  operation({
    id: 'previewMemberConfig',
    method: 'POST',
    access: 'inspect',
    path: '/operations/config/preview',
    summary: 'Shows what a configuration would add at the members, beside what they were given from here.',
    description: 'Members do not tell their configuration: what they have of another origin is not in it.',
    body: configBody,
    answer: configPreview,
    async run({ body: { config } }, { sentConfig }: CommandNeeds) {
      const sections = sectionsOf(config);
      if (!sections) return { body: { isCompared: false, isCut: false, sections: [] } };
      return { body: { isCompared: true, ...previewOf(sections, await sentConfig.read()) } };
    },
  }),
  operation({
    ...danger,
    id: 'updateMemberConfig',
    path: '/operations/config',
    summary: 'Adds to the configuration of the members, in YAML or XML.',
    event: 'cluster.config_updated',
    query: reasonQuery,
    body: configBody,
    answer: configChange,
    async run({ body: { config }, query }, needs: CommandNeeds) {
      const answer = await configChanged('update', [config], needs);
      await needs.sentConfig.remember(sentSections(config, answer.body));
      return { ...answer, said: { ...query } };
    },
  }),
  plain('shutDownCluster', 'shutdown', 'clusterShutdown', 'cluster.shut_down', {
    summary: 'Shuts every member down. The members say yes before they do.',
    isDangerous: true,
  }),
];

interface Plain {
  readonly summary: string;
  readonly isDangerous?: boolean;
}

/** Takes nothing, and answers nothing but that the members have taken it. */
function plain(id: string, word: string, path: string, event: string, more: Plain): Operation<CommandNeeds> {
  return operation({
    ...command,
    ...more,
    id,
    path: `/operations/${word}`,
    event,
    query: reasonQuery,
    async run({ query, isDryRun }, needs: CommandNeeds): Promise<Answer> {
      await checkMay(word, needs);
      if (isDryRun) return {};
      const call = { method: 'POST', path: `${management}/${path}`, positionalValues: [] } as const;
      const reply = await needs.askMember(call);
      checkSucceeded(objectIn(reply), reply.member);
      return { target: reply.member, said: { ...query } };
    },
  });
}

async function changed(
  field: 'clusterState' | 'clusterVersion',
  value: string,
  { operation: path, isDryRun }: { readonly operation: string; readonly isDryRun: boolean },
  needs: CommandNeeds,
): Promise<Answer> {
  const before = await readCluster(needs);
  await checkMay(field === 'clusterState' ? 'state' : 'version', needs, before);
  const from = before[field];
  const changes = changesBetween({ [field]: from }, { [field]: value });
  if (isDryRun || !changes) return { body: { ...before, [field]: value }, isUnchanged: !changes };
  const call = { method: 'POST', path: `${management}/${path}`, positionalValues: [value] } as const;
  const reply = await needs.askMember(call);
  objectIn(reply);
  return { body: await readCluster(needs), changes, target: reply.member };
}

/** @throws {ProblemError} `member_rejected`, with the reason that `GET /operations` gives */
async function checkMay(
  word: string,
  needs: CommandNeeds,
  cluster?: Awaited<ReturnType<typeof readCluster>>,
) {
  const { may } = cluster ?? (await readCluster(needs));
  const reason = may.find(({ operation: name }) => name === word)?.reason;
  if (reason) throw new ProblemError(problems.memberRejected, reason);
}

function checkSucceeded({ status }: Readonly<Record<string, unknown>>, member: string): void {
  if (status === 'success') return;
  throw new ProblemError(problems.memberRejected, `The member ${member} says that it has not done this.`);
}

async function configChanged(
  word: 'reload' | 'update',
  positionalValues: readonly string[],
  needs: CommandNeeds,
): Promise<Answer & { readonly body: ConfigChange }> {
  await checkMay(word === 'reload' ? 'reload' : 'config', needs);
  const reply = await needs.askMember({ method: 'POST', path: `/rest/config/${word}`, positionalValues });
  const { message, result } = objectIn(reply);
  const { addedConfigs, ignoredConfigs } = (result ?? {}) as Readonly<Record<string, unknown>>;
  const added = sectionsIn(addedConfigs);
  return {
    body: {
      message: typeof message === 'string' ? message : null,
      added,
      ignored: sectionsIn(ignoredConfigs),
    },
    target: reply.member,
    changes: { added: added.map(keyOf) },
  };
}

type ConfigChange = z.infer<typeof configChange>;

/** What members have now: what they have added says what was sent, and what they have passed over was there. */
function sentSections(config: string, { added, ignored }: ConfigChange): ReadonlyMap<string, string | null> {
  const sent = sectionsOf(config);
  return new Map([
    ...ignored.map((section) => [keyOf(section), null] as const),
    ...added.map((section) => [keyOf(section), sent?.get(keyOf(section)) ?? null] as const),
  ]);
}

function sectionsThere({ added, ignored }: ConfigChange): ReadonlyMap<string, null> {
  return new Map([...added, ...ignored].map((section) => [keyOf(section), null] as const));
}

function keyOf({ sectionName, configName }: ConfigChange['added'][number]): string {
  return `${sectionName} ${configName}`;
}

function sectionsIn(list: unknown): z.infer<typeof configSection>[] {
  if (!Array.isArray(list)) return [];
  return list.map(({ sectionName, configName }) => ({
    sectionName: String(sectionName ?? ''),
    configName: String(configName ?? ''),
  }));
}
