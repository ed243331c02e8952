/** `console cluster`, `console health show`, and what one member is told: the cluster and the installation as the API has them. */

import { dryRunFlag } from '../operations/changes.ts';
import { type Command, UsageError } from '../runner/command.ts';
import { columns, fields } from '../runner/output.ts';
import { reasonFlag, reasonIn } from './acts.ts';
import { clusterActs } from './cluster-acts.ts';
import { memberName } from './member-name.ts';

/** As the API shows them. */
interface ClusterView {
  readonly clusterState: string | null;
  readonly clusterVersion: string | null;
  readonly clusterSize: number | null;
  readonly isSafe: boolean | null;
  readonly migrationQueueSize: number | null;
  readonly may: readonly { readonly operation: string; readonly reason: string | null }[];
}
interface HealthView {
  readonly state: string;
  readonly findings: readonly {
    readonly check: string;
    readonly state: string;
    readonly reason: string;
    readonly fix: string | null;
  }[];
}

const onApi = { isOnApi: true, createsStore: true } as const;
const ofConfiguration = 'configured';

export const clusterCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'cluster show',
    summary: 'Shows how the cluster is, and what may be done to it, or why not.',
    async run(_input, { api }) {
      return done((await api.call('readCluster')).body as ClusterView);
    },
  },
  {
    ...onApi,
    name: 'cluster state',
    summary: 'Moves the cluster to another state: active, no_migration, frozen, passive.',
    positionals: ['<state>'],
    flags: { ...reasonFlag, ...dryRunFlag },
    asks: ({ positionals: [state = ''] }) => ({
      says: `This moves the whole cluster to the state ${state}.`,
      name: state,
    }),
    async run(input, { api }) {
      const body = { state: input.positionals[0]?.toLowerCase() };
      const isDryRun = input.has('dry-run');
      return done(
        (await api.call('changeClusterState', { body, isDryRun, ...reasonIn(input) })).body as ClusterView,
      );
    },
  },
  ...clusterActs,
  {
    ...onApi,
    name: 'health show',
    summary:
      'Looks at members, store, keys, identity providers, licence, jobs and settings, and says what puts them right.',
    details: [
      'Exit code 1: a problem. npx console doctor also asks the application, and the console by its address.',
    ],
    async run(_input, { api }) {
      const view = (await api.call('runHealthCheck')).body as HealthView;
      const rows = view.findings.map(({ check, state, reason, fix }) => [
        state,
        check,
        fix === null ? reason : `${reason} ${fix}`,
      ]);
      return { text: columns(rows), json: view, hasFailed: view.state === 'problem' };
    },
  },
];

export const oneMemberCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'member log-level',
    summary: 'Shows the log level of a member, or gives it another one.',
    positionals: ['<member>', '[<level>]'],
    flags: dryRunFlag,
    details: [
      `OFF, SEVERE, WARNING, INFO, CONFIG, FINE, FINER, FINEST; ${ofConfiguration}: that of its configuration again.`,
    ],
    async run(input, { api }) {
      const [given, level] = input.positionals;
      const member = memberName(given);
      const params = { member };
      const isDryRun = input.has('dry-run');
      if (level === undefined && isDryRun) throw new UsageError('--dry-run is for a change: name a level.');
      const body = { level: level === ofConfiguration ? null : level?.toUpperCase() };
      const answer =
        level === undefined
          ? await api.call('readMemberLogLevel', { params })
          : await api.call('setMemberLogLevel', { params, body, isDryRun });
      const view = answer.body as { readonly member: string; readonly level: string | null };
      return { text: `${view.member}: ${view.level ?? ofConfiguration}`, json: view };
    },
  },
  {
    ...onApi,
    name: 'member shutdown',
    summary: 'Shuts a member down, after the calls that are under way there.',
    positionals: ['<member>'],
    flags: { ...reasonFlag, ...dryRunFlag },
    asks: ({ positionals: [member = ''] }) => ({
      says: `This shuts the member ${member} down.`,
      name: member,
    }),
    async run(input, { api }) {
      const member = memberName(input.positionals[0]);
      const isDryRun = input.has('dry-run');
      const request = { params: { member }, isDryRun, ...reasonIn(input) };
      const { warnings = [] } = await api.call('shutDownMember', request);
      const text = [`${member} ${isDryRun ? 'would be' : 'is'} shut down.`, ...warnings].join(' ');
      return { text, json: { id: member, isShutDown: !isDryRun, warnings } };
    },
  },
];

function done(view: ClusterView) {
  const { clusterState, clusterVersion, clusterSize, isSafe, migrationQueueSize, may } = view;
  const text = fields({
    state: clusterState ?? 'no member tells',
    version: clusterVersion ?? undefined,
    members: clusterSize === null ? undefined : String(clusterSize),
    safe: isSafe === null ? undefined : isSafe ? 'yes' : 'no',
    'migrations waiting': migrationQueueSize === null ? undefined : String(migrationQueueSize),
    'may be done': may.filter(({ reason }) => reason === null).map(({ operation }) => operation),
    'may not': may.flatMap(({ operation, reason }) => (reason === null ? [] : [`${operation}: ${reason}`])),
  });
  return { text, json: view };
}
