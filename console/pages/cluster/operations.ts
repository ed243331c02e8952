/** `/cluster/operations`: how the cluster is, and what is done to all of it. */
import {
  type OfferedAct,
  operationsHref,
  renderOperations,
  type ShownCluster,
} from '../../../views/management/cluster/operations.tsx';
import type { Form } from '../../http/form.ts';
import type { Act, Acts } from '../acts.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const place = { path: [{ title: 'Operations', href: operationsHref }], href: operationsHref };

/** An act on the cluster, and how the page says it. */
interface ClusterAct extends Act {
  /** As the cluster names it where it says what may be done. */
  readonly word: string;
  readonly about: string;
  readonly done: string;
  /** Hits nobody: not asked about first. */
  readonly isQuiet?: boolean;
}

export function createOperationsPage(tools: PageTools, acts: Acts) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const cluster = await read(ctx);
      const act = actOf(ctx, cluster);
      const reason = act && whyNot(cluster, act);
      if (act && reason === undefined) return acts.ask(ctx, act, place);
      if (act) await tools.check(ctx, act.operation);
      const all = actsOf(cluster, '');
      const operations = all.map(({ operation }) => operation);
      const may = await tools.mayRun(ctx, operations);
      const open = all.filter((one) => may.has(one.operation) && whyNot(cluster, one) === undefined);
      const html = renderOperations({
        frame: await tools.frame(ctx),
        csrf: tools.csrf(ctx),
        cluster,
        acts: open.filter(({ name }) => name !== 'version').map(offered),
        mayChangeVersion: open.some(({ name }) => name === 'version'),
        impossible: cluster.may
          .filter(({ isPossible }) => !isPossible)
          .map(({ operation, reason }) => ({ title: titleOf(operation, all), reason: reason ?? '' })),
        notice: all.find(({ name }) => name === form.get('done'))?.done,
        problem: reason,
      });
      tools.send(ctx, html, reason === undefined ? 200 : 409);
    },
    /** `POST /cluster/operations`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const act = actOf(ctx, await read(ctx));
      if (!act) return tools.goTo(ctx, operationsHref);
      if (await acts.perform(ctx, act, place, {})) tools.goTo(ctx, `${operationsHref}?done=${act.name}`);
    },
  };

  async function read(ctx: PageContext): Promise<ShownCluster> {
    return (await tools.run<ShownCluster>(ctx, 'readCluster')).body;
  }
}

function actOf({ state: { form } }: PageContext, cluster: ShownCluster): ClusterAct | undefined {
  return actsOf(cluster, form.get('to') ?? '').find(({ name }) => name === form.get('do'));
}

/** Of what the page cannot do itself, the word of the cluster. */
function titleOf(word: string, acts: readonly ClusterAct[]): string {
  const title = acts.find((act) => act.word === word)?.title;
  return title ?? (word === 'config' ? 'Add to configuration' : word);
}

function whyNot({ may }: ShownCluster, { word }: ClusterAct): string | undefined {
  return may.find(({ operation }) => operation === word)?.reason ?? undefined;
}

function offered({ name, title, about, isDangerous = false, isQuiet = false }: ClusterAct): OfferedAct {
  return { name, title, about, isDangerous, isQuiet };
}

/** What is to be known of the cluster before something is done to all of it. */
function preFlight({ isSafe, migrationQueueSize }: ShownCluster): readonly string[] {
  const safety =
    isSafe === null
      ? 'Careful: no member tells whether backups are in step.'
      : isSafe
        ? 'Fine: backups are in step.'
        : 'Careful: backups are not in step, so what is on one member alone can be lost.';
  const queue =
    migrationQueueSize === null || migrationQueueSize === 0
      ? []
      : [`Careful: ${migrationQueueSize} migrations wait.`];
  return [safety, ...queue];
}

function actsOf(cluster: ShownCluster, version: string): readonly ClusterAct[] {
  // Typed before what hits everybody.
  const typedName = cluster.instanceName ?? 'cluster';
  return [
    stateChange(cluster, typedName),
    versionChange(version, typedName),
    ...quietActs,
    ...startsAndEnd(cluster, typedName),
  ];
}

function stateChange(cluster: ShownCluster, typedName: string): ClusterAct {
  return {
    name: 'state',
    word: 'state',
    operation: 'changeClusterState',
    title: 'Change state',
    about: 'Whether the cluster takes changes, members and migrations.',
    done: 'The state of the cluster is changed.',
    effects: [
      `The state is ${cluster.clusterState ?? 'not known'} now.`,
      'No migration: partitions stay where they are. Frozen: no member joins either. Passive: no change of data is taken.',
      ...preFlight(cluster),
    ],
    button: 'Change state',
    isDangerous: true,
    typedName,
    selects: [
      {
        name: 'state',
        label: 'State',
        value: cluster.clusterState ?? 'active',
        options: [
          { value: 'active', label: 'Active' },
          { value: 'no_migration', label: 'No migration' },
          { value: 'frozen', label: 'Frozen' },
          { value: 'passive', label: 'Passive' },
        ],
      },
    ],
    texts: [reasonText],
    requestOf: (form) => ({ body: { state: form.get('state') ?? '' }, query: reasonIn(form) }),
  };
}

function versionChange(version: string, typedName: string): ClusterAct {
  return {
    name: 'version',
    word: 'version',
    operation: 'changeClusterVersion',
    title: 'Raise version',
    about: 'The version by which the cluster as a whole goes.',
    done: 'The version of the cluster is what was asked for.',
    effects: [
      `The cluster goes by the version ${version === '' ? '(none was typed)' : version} from then on.`,
      'Members of an older release cannot join any more.',
    ],
    button: 'Raise version',
    isDangerous: true,
    typedName,
    hidden: { to: version },
    requestOf: (form) => ({ body: { version: form.get('to') ?? '' } }),
  };
}

/** Asked of whoever hits the whole cluster. Nobody is stopped by an empty one when it burns; it is not said then. */
const reasonText = {
  name: 'reason',
  label: 'Reason',
  hint: 'For the audit: why this is done now.',
} as const;

function reasonIn(form: Form): Readonly<Record<string, string>> {
  const reason = form.get('reason')?.trim();
  return reason ? { reason } : {};
}

const quietActs: readonly ClusterAct[] = [
  {
    name: 'reload',
    word: 'reload',
    operation: 'reloadMemberConfig',
    title: 'Reload configuration',
    about: 'Members read their configuration anew.',
    done: 'The members have read their configuration anew.',
    effects: ['The members read their configuration anew, and add what is new in it. Nothing is taken away.'],
    button: 'Reload configuration',
  },
  {
    name: 'backup',
    word: 'hot-backup',
    operation: 'startHotBackup',
    title: 'Start hot backup',
    about:
      'Members back up what they persist, while they work on. A community edition says yes, and does nothing.',
    done: 'The members have taken the backup on. They do not tell when it is done.',
    effects: [
      'The members back up what they persist, while they work on.',
      'A community edition says yes, and does nothing. Members do not tell how far the backup is.',
    ],
    button: 'Start hot backup',
    isQuiet: true,
  },
  {
    name: 'interrupt-backup',
    word: 'hot-backup-interrupt',
    operation: 'interruptHotBackup',
    title: 'Interrupt hot backup',
    about: 'Ends a backup that is under way: it is left unfinished, and cannot be started from.',
    done: 'The members have been told to interrupt the backup.',
    effects: ['A backup that is under way is left unfinished, and cannot be started from.'],
    button: 'Interrupt hot backup',
    isQuiet: true,
  },
];

function startsAndEnd(cluster: ShownCluster, typedName: string): readonly ClusterAct[] {
  const guarded = {
    isDangerous: true,
    typedName,
    texts: [reasonText],
    requestOf: (form: Form) => ({ body: {}, query: reasonIn(form) }),
  } as const;
  return [
    {
      ...guarded,
      name: 'partial-start',
      word: 'partial-start',
      operation: 'partialStartCluster',
      title: 'Partial start',
      about: 'Starts with the members that are there, after a failed recovery.',
      done: 'The cluster has been told to start with the members that are there.',
      effects: ['What only the members that are away have persisted is lost.', ...preFlight(cluster)],
      button: 'Partial start',
    },
    {
      ...guarded,
      name: 'force-start',
      word: 'force-start',
      operation: 'forceStartCluster',
      title: 'Force start',
      about: 'Starts without what is persisted, after a failed recovery.',
      done: 'The cluster has been told to start without what it had persisted.',
      effects: ['All that the cluster has persisted is lost. This cannot be undone.', ...preFlight(cluster)],
      button: 'Force start',
    },
    {
      ...guarded,
      name: 'shut-down',
      word: 'shutdown',
      operation: 'shutDownCluster',
      title: 'Shut down cluster',
      about: 'Every member ends.',
      done: 'The members have said that they shut down.',
      effects: [
        `Every member ends (${cluster.clusterSize ?? 'an unknown number'} now), and every call is refused until one is started again on its machine.`,
        'What is not persisted is lost.',
        ...preFlight(cluster),
      ],
      button: 'Shut down cluster',
    },
  ];
}
