/** `/cluster/operations`: how the cluster is, and what is done to all of it. */
import {
  clusterStateOf,
  type OfferedAct,
  operationsHref,
  operationsParts,
  renderOperations,
  type ShownCluster,
  type ShownMemberLicence,
} from '../../../views/management/cluster/operations.tsx';
import { saidIn, type Translate } from '../../../views/texts/text.ts';
import { presentationOf, textFor } from '../../http/display/presentation.ts';
import type { Form } from '../../http/form.ts';
import { type Act, type Acts, reasonIn, reasonText } from '../acts.ts';
import type { Parts } from '../live/parts.ts';
import type { SharedReadings } from '../live/shared-readings.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { readPart } from '../read-part.ts';
import { clusterChecks, recoveryChecks } from './checks-before.ts';
import { addedNotice, createMemberConfigForm, isConfigForm } from './member-config.ts';

const place = (t: Translate) => ({
  path: [{ title: t('common.operations'), href: operationsHref }],
  href: operationsHref,
});

/** An act on the cluster, and how the page says it. */
interface ClusterAct extends Act {
  /** As the cluster names it where it says what may be done. */
  readonly word: string;
  readonly about: string;
  readonly done: string;
  /** Hits nobody: not asked about first. */
  readonly isQuiet?: boolean;
}

export function createOperationsPage(tools: PageTools, acts: Acts, readings: SharedReadings) {
  const memberConfig = createMemberConfigForm(tools, acts);
  return {
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const [cluster, licence] = await readBoth(ctx, readings.now);
      const act = actOf(ctx, cluster);
      const reason = act && whyNot(cluster, act);
      if (act && reason === undefined) return acts.ask(ctx, act, place(t), {});
      if (act) await tools.check(ctx, act.operation);
      const { all, open, may, ...shown } = await shownOf(ctx, cluster);
      const html = renderOperations({
        ...shown,
        licence,
        frame: await tools.frame(ctx),
        csrf: tools.csrf(ctx),
        mayConfigure: may.has('updateMemberConfig') && reasonOf(cluster, 'config') === undefined,
        mayChangeVersion: open.some(({ name }) => name === 'version'),
        notice: addedNotice(ctx, t) ?? all.find(({ name }) => name === form.get('done'))?.done,
        problem: reason && (saidIn(t.language, reason) ?? reason),
      });
      tools.send(ctx, html, reason === undefined ? 200 : 409);
    },
    /** What goes on while it is open: members are asked for it once for all readers. */
    async parts(ctx: PageContext): Promise<Parts> {
      const [cluster, licence] = await readBoth(ctx, readings.lately);
      return operationsParts({ ...(await shownOf(ctx, cluster)), licence, frame: tools.reader(ctx) });
    },
    /** `POST /cluster/operations`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const cluster = await read(ctx);
      if (isConfigForm(ctx)) return memberConfig.change(ctx, typedForCluster(ctx), place(textFor(ctx)));
      const act = actOf(ctx, cluster);
      if (!act) return tools.goTo(ctx, operationsHref);
      const done = await acts.perform(ctx, act, place(textFor(ctx)), {});
      if (done) tools.goTo(ctx, `${operationsHref}?done=${act.name}`);
    },
  };

  /** At the same time: either may wait for members that hang. */
  function readBoth(ctx: PageContext, ask: SharedReadings['now']) {
    return Promise.all([
      ask<ShownCluster>(ctx, 'readCluster'),
      readPart(() => ask<ShownMemberLicence>(ctx, 'readMemberLicence')),
    ]);
  }

  async function shownOf(ctx: PageContext, cluster: ShownCluster) {
    const all = actsOf(ctx, cluster, '');
    const operations = all.map(({ operation }) => operation);
    const may = await tools.mayRun(ctx, [...operations, 'updateMemberConfig']);
    const open = all.filter((one) => may.has(one.operation) && whyNot(cluster, one) === undefined);
    const impossible = cluster.may
      .filter(({ isPossible }) => !isPossible)
      .map(({ operation, reason }) => ({
        title: titleOf(operation, all, textFor(ctx)),
        reason: reason ?? '',
      }));
    const acts = open.filter(({ name }) => name !== 'version').map(offered);
    return { cluster, all, may, open, acts, impossible };
  }

  async function read(ctx: PageContext): Promise<ShownCluster> {
    return (await tools.run<ShownCluster>(ctx, 'readCluster')).body;
  }
}

function actOf(ctx: PageContext, cluster: ShownCluster): ClusterAct | undefined {
  const { form } = ctx.state;
  return actsOf(ctx, cluster, form.get('to') ?? '').find(({ name }) => name === form.get('do'));
}

/** Of what the page cannot do itself, the word of the cluster. */
function titleOf(word: string, acts: readonly ClusterAct[], t: Translate): string {
  const title = acts.find((act) => act.word === word)?.title;
  return title ?? (word === 'config' ? t('operations.addToConfiguration') : word);
}

function whyNot(cluster: ShownCluster, { word }: ClusterAct): string | undefined {
  return reasonOf(cluster, word);
}

function reasonOf({ may }: ShownCluster, word: string): string | undefined {
  return may.find(({ operation }) => operation === word)?.reason ?? undefined;
}

function offered({ name, title, about, isDangerous = false, isQuiet = false }: ClusterAct): OfferedAct {
  return { name, title, about, isDangerous, isQuiet };
}

/** Typed before what hits everybody. Not the name of an instance: each member has its own, and any of them may answer next. */
function typedForCluster(ctx: PageContext): string {
  return presentationOf(ctx).branding.name ?? 'cluster';
}

function actsOf(ctx: PageContext, cluster: ShownCluster, version: string): readonly ClusterAct[] {
  const t = textFor(ctx);
  const typedName = typedForCluster(ctx);
  return [
    stateChange(cluster, typedName, t),
    versionChange(version, typedName, t),
    licenceChange(typedName, t),
    ...quietActs(t),
    ...startsAndEnd(cluster, typedName, t),
  ];
}

function stateChange(cluster: ShownCluster, typedName: string, t: Translate): ClusterAct {
  return {
    name: 'state',
    word: 'state',
    operation: 'changeClusterState',
    title: t('operations.changeState'),
    about: t('operations.stateAbout'),
    done: t('operations.stateChanged'),
    effects: [
      cluster.clusterState === null
        ? t('operations.stateNotKnown')
        : t('operations.stateNow', { state: clusterStateOf(cluster, t).word }),
      t('operations.whatStatesMean'),
      ...clusterChecks(cluster, t),
    ],
    button: t('operations.changeState'),
    isDangerous: true,
    typedName,
    selects: [
      {
        name: 'state',
        label: t('common.state'),
        value: cluster.clusterState ?? 'active',
        options: [
          { value: 'active', label: t('operations.active') },
          { value: 'no_migration', label: t('operations.noMigration') },
          { value: 'frozen', label: t('operations.frozen') },
          { value: 'passive', label: t('operations.passive') },
        ],
      },
    ],
    texts: [reasonText(t)],
    requestOf: (form) => ({ body: { state: form.get('state') ?? '' }, query: reasonIn(form) }),
  };
}

function versionChange(version: string, typedName: string, t: Translate): ClusterAct {
  return {
    name: 'version',
    word: 'version',
    operation: 'changeClusterVersion',
    title: t('operations.raiseVersion'),
    about: t('operations.versionAbout'),
    done: t('operations.versionChanged'),
    effects: [
      t('operations.goesByVersion', { version: version || t('operations.noneTyped') }),
      t('operations.olderCannotJoin'),
    ],
    button: t('operations.raiseVersion'),
    isDangerous: true,
    typedName,
    hidden: { to: version },
    requestOf: (form) => ({ body: { version: form.get('to') ?? '' } }),
  };
}

function licenceChange(typedName: string, t: Translate): ClusterAct {
  return {
    name: 'licence',
    word: 'licence',
    operation: 'changeMemberLicence',
    title: t('operations.changeLicence'),
    about: t('operations.licenceAbout'),
    done: t('operations.licenceChanged'),
    effects: [t('operations.licenceEffect'), t('operations.licenceUntilRestart')],
    button: t('operations.changeLicence'),
    isDangerous: true,
    typedName,
    texts: [{ name: 'key', label: t('operations.licenceKey'), isRequired: true, isSecret: true }],
    requestOf: (form) => ({ body: { key: form.get('key')?.trim() ?? '' } }),
  };
}

const quietActs = (t: Translate): readonly ClusterAct[] => [
  {
    name: 'reload',
    word: 'reload',
    operation: 'reloadMemberConfig',
    title: t('operations.reload'),
    about: t('operations.reloadAbout'),
    done: t('operations.reloaded'),
    effects: [t('operations.reloadAdds'), t('memberConfig.filesNotTold')],
    button: t('operations.reload'),
  },
  {
    name: 'backup',
    word: 'hot-backup',
    operation: 'startHotBackup',
    title: t('operations.startBackup'),
    about: t('operations.backupAbout'),
    done: t('operations.backupTaken'),
    effects: [t('operations.backupEffect'), t('operations.backupNotTold')],
    button: t('operations.startBackup'),
    isQuiet: true,
  },
  {
    name: 'interrupt-backup',
    word: 'hot-backup-interrupt',
    operation: 'interruptHotBackup',
    title: t('operations.interruptBackup'),
    about: t('operations.interruptAbout'),
    done: t('operations.interrupted'),
    effects: [t('operations.interruptEffect')],
    button: t('operations.interruptBackup'),
    isQuiet: true,
  },
];

function startsAndEnd(cluster: ShownCluster, typedName: string, t: Translate): readonly ClusterAct[] {
  const guarded = {
    isDangerous: true,
    typedName,
    texts: [reasonText(t)],
    requestOf: (form: Form) => ({ body: {}, query: reasonIn(form) }),
  } as const;
  return [
    {
      ...guarded,
      name: 'partial-start',
      word: 'partial-start',
      operation: 'partialStartCluster',
      title: t('operations.partialStart'),
      about: t('operations.partialAbout'),
      done: t('operations.partialStarted'),
      effects: [t('operations.partialEffect'), ...recoveryChecks(cluster, t)],
      button: t('operations.partialStart'),
    },
    {
      ...guarded,
      name: 'force-start',
      word: 'force-start',
      operation: 'forceStartCluster',
      title: t('operations.forceStart'),
      about: t('operations.forceAbout'),
      done: t('operations.forceStarted'),
      effects: [t('operations.forceEffect'), ...recoveryChecks(cluster, t)],
      button: t('operations.forceStart'),
    },
    {
      ...guarded,
      name: 'shut-down',
      word: 'shutdown',
      operation: 'shutDownCluster',
      title: t('operations.shutDown'),
      about: t('operations.shutDownAbout'),
      done: t('operations.shuttingDown'),
      effects: [
        cluster.clusterSize === null
          ? t('operations.everyMemberEndsUnknown')
          : t('operations.everyMemberEnds', { n: cluster.clusterSize }),
        t('operations.notPersistedLost'),
        ...clusterChecks(cluster, t),
      ],
      button: t('operations.shutDown'),
    },
  ];
}
