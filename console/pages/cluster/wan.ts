/** `/cluster/wan`: WAN publishers by their names, what was done to them, and what they are told to do. */

import { ProblemError, problems } from '../../../platform/errors.ts';
import {
  publisherHref,
  publishersParts,
  type ShownPublisher,
  wanHref,
} from '../../../views/management/cluster/publisher-cells.tsx';
import {
  type PublisherModel,
  publisherParts,
  renderPublisher,
  renderPublishers,
  type ShownSync,
} from '../../../views/management/cluster/wan.tsx';
import { saidIn, type Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Form } from '../../http/form.ts';
import type { Act, Acts } from '../acts.ts';
import { listed } from '../listed-pages.ts';
import { type ListAnswer, placesOf, queryOf } from '../lists.ts';
import type { Parts } from '../live/parts.ts';
import type { SharedReadings } from '../live/shared-readings.ts';
import { fieldErrorsOf, type PageContext, type PageTools } from '../page-tools.ts';

const path = (t: Translate) => [{ title: t('common.wanReplication'), href: wanHref }];
const listPlace = (t: Translate) => ({ path: path(t), href: wanHref });

const doneNotices = (t: Translate): Readonly<Record<string, PublisherModel['notice']>> => ({
  pause: { text: t('wan.pausedNow'), undo: 'resume' },
  resume: { text: t('wan.resumedNow'), undo: 'pause' },
  stop: { text: t('wan.stoppedNow') },
  clear: { text: t('wan.clearedNow') },
  sync: { text: t('wan.syncedNow') },
  check: { text: t('wan.checkedNow') },
});

/** What is done at once, since the other one takes it back. */
const atOnce: Readonly<Record<string, string>> = {
  pause: 'pauseWanPublisher',
  resume: 'resumeWanPublisher',
};

interface Names {
  readonly replication: string;
  readonly publisher: string;
}

/** What a change at each member answers. */
interface Done {
  readonly results?: readonly {
    readonly member: string;
    readonly isDone: boolean;
    readonly reason: string | null;
  }[];
}

interface Added {
  readonly added: readonly string[];
  readonly ignored: readonly string[];
}

export function createWanPages(tools: PageTools, acts: Acts, readings: SharedReadings) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const [replication, publisher] = ['replication', 'publisher'].map((name) => form.get(name)?.trim());
      if (replication && publisher) return tools.goTo(ctx, publisherHref({ replication, publisher }));
      const t = textFor(ctx);
      if (form.get('do') === adding.name) return acts.ask(ctx, addAct(t), listPlace(t), {});
      await showList(ctx, undefined);
    },
    /** What goes on while the list is open: what this console was asked to do, no member is asked for it. */
    async listParts(ctx: PageContext): Promise<Parts> {
      const { body } = await readList(ctx);
      return publishersParts({ frame: tools.reader(ctx), publishers: body.items });
    },
    /** `POST /cluster/wan`: adds a publisher. */
    async add(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      if (ctx.state.form.get('do') !== adding.name) return tools.goTo(ctx, wanHref);
      const answer = await acts.perform<Added>(ctx, addAct(t), listPlace(t), {});
      if (answer) await showList(ctx, addedText(answer.body, t));
    },
    async show(ctx: PageContext): Promise<void> {
      const publisher = await find(ctx);
      const { form } = ctx.state;
      const t = textFor(ctx);
      const act = actOf(publisher, form, t);
      if (act) return acts.ask(ctx, act, placeOf(publisher, t), paramsOf(publisher));
      await showPublisher(ctx, publisher, { notice: doneNotices(t)[form.get('done') ?? ''] });
    },
    /** What goes on while the page is open: how far the last synchronization and the last check are members are asked for all readers. */
    async parts(ctx: PageContext): Promise<Parts> {
      const publisher = await find(ctx);
      const sync = await syncOf(ctx, publisher.lastSync, readings.lately);
      const check = await syncOf(ctx, publisher.lastCheck, readings.lately);
      return publisherParts({ frame: tools.reader(ctx), publisher, sync, check });
    },
    /** `POST /cluster/wan/:replication/:publisher`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const publisher = await find(ctx);
      const { form } = ctx.state;
      const name = form.get('do') ?? '';
      const t = textFor(ctx);
      const act = actOf(publisher, form, t);
      if (act) {
        const answer = await acts.perform<Done>(ctx, act, placeOf(publisher, t), paramsOf(publisher));
        if (answer) await sayDone(ctx, publisher, name, answer.body);
      } else if (atOnce[name] !== undefined) await doAtOnce(ctx, publisher, name);
      else tools.goTo(ctx, publisherHref(publisher));
    },
  };

  async function readList(ctx: PageContext) {
    const asked = queryOf(ctx.state.form, listed.publishers.names);
    const { body } = await tools.run<ListAnswer<ShownPublisher>>(ctx, 'listWanPublishers', { query: asked });
    return { asked, body };
  }

  async function showList(ctx: PageContext, notice: string | undefined): Promise<void> {
    const { asked, body } = await readList(ctx);
    const may = await tools.mayRun(ctx, [adding.operation]);
    const html = renderPublishers({
      frame: await tools.frame(ctx),
      publishers: body.items,
      primary: may.has(adding.operation)
        ? { label: textFor(ctx)('wan.addPublisher'), href: `${wanHref}?do=${adding.name}` }
        : undefined,
      notice,
      ...placesOf(wanHref, asked, body),
    });
    tools.send(ctx, html);
  }

  /** Also one that nobody has asked for yet: members list none. */
  async function find(ctx: PageContext): Promise<ShownPublisher> {
    const params = { replication: String(ctx.params.replication), publisher: String(ctx.params.publisher) };
    try {
      return (await tools.run<ShownPublisher>(ctx, 'readWanPublisher', { params })).body;
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem !== problems.notFound) throw error;
      return { ...params, last: null, lastSync: null, lastCheck: null, members: [] };
    }
  }

  async function doAtOnce(ctx: PageContext, publisher: ShownPublisher, name: string): Promise<void> {
    const t = textFor(ctx);
    const request = { params: paramsOf(publisher), body: {} };
    try {
      const { body } = await tools.run<Done>(ctx, atOnce[name]!, request);
      await sayDone(ctx, publisher, name, body);
    } catch (error) {
      const [first] = fieldErrorsOf(error, () => undefined, t);
      await showPublisher(ctx, publisher, { problem: first?.text });
    }
  }

  async function sayDone(
    ctx: PageContext,
    names: Names,
    name: string,
    { results = [] }: Done,
  ): Promise<void> {
    const t = textFor(ctx);
    const missed = results.filter(({ isDone }) => !isDone);
    if (missed.length === 0) return tools.goTo(ctx, `${publisherHref(names)}?done=${name}`);
    const said = missed
      .map(
        ({ member, reason }) => `${member}: ${reason === null ? t('wan.noReason') : inLanguage(reason, t)}`,
      )
      .join(' ');
    const problem = t('wan.notDoneBy', { n: missed.length, members: results.length, said });
    await showPublisher(ctx, await find(ctx), { problem });
  }

  async function showPublisher(
    ctx: PageContext,
    publisher: ShownPublisher,
    shown: Pick<PublisherModel, 'notice' | 'problem'>,
  ): Promise<void> {
    const may = await tools.mayRun(ctx, ['pauseWanPublisher', 'clearWanPublisher']);
    const html = renderPublisher({
      frame: await tools.frame(ctx),
      publisher,
      sync: await syncOf(ctx, publisher.lastSync, readings.now),
      check: await syncOf(ctx, publisher.lastCheck, readings.now),
      csrf: tools.csrf(ctx),
      mayChange: may.has('pauseWanPublisher'),
      mayClear: may.has('clearWanPublisher'),
      ...shown,
    });
    tools.send(ctx, html, shown.problem === undefined ? 200 : 409);
  }

  /** @returns why not, where the member that has it does not say how far it is */
  async function syncOf(
    ctx: PageContext,
    started: ShownPublisher['lastSync'],
    read: SharedReadings['now'],
  ): Promise<ShownSync | string | undefined> {
    if (!started?.sync) return undefined;
    try {
      return await read<ShownSync>(ctx, 'readWanSync', { params: { sync: started.sync } });
    } catch (error) {
      if (error instanceof ProblemError) return inLanguage(error.message, textFor(ctx));
      throw error;
    }
  }
}

/** In English where nobody has said it otherwise. */
function inLanguage(sentence: string, t: Translate): string {
  return saidIn(t.language, sentence) ?? sentence;
}

function paramsOf({ replication, publisher }: Names) {
  return { replication, publisher };
}

function placeOf(names: Names, t: Translate) {
  const href = publisherHref(names);
  return { path: [...path(t), { title: `${names.replication}/${names.publisher}`, href }], href };
}

function addedText({ added, ignored }: Added, t: Translate): string {
  const list = (names: readonly string[]) => names.join(', ');
  return [
    added.length === 0 ? t('wan.nothingAdded') : t('wan.addedThese', { added: list(added) }),
    ...(ignored.length === 0 ? [] : [t('wan.alreadyThere', { ignored: list(ignored) })]),
  ].join(' ');
}

const adding = { name: 'new', operation: 'addWanConfig' } as const;

const addAct = (t: Translate): Act => ({
  ...adding,
  title: t('wan.addPublisher'),
  effects: [t('wan.everyMemberSends'), t('wan.untilStartAnew')],
  button: t('wan.addPublisher'),
  isMaking: true,
  texts: [
    { name: 'replication', label: t('common.wanReplication'), hint: t('wan.nameOfMaps'), isRequired: true },
    { name: 'cluster', label: t('wan.nameOfOther'), isRequired: true },
    { name: 'endpoints', label: t('wan.itsMembers'), hint: t('wan.hostsAndPorts'), isRequired: true },
    { name: 'publisher', label: t('wan.publisherId'), hint: t('wan.publisherIdEmpty') },
  ],
  requestOf(form) {
    const [name, clusterName, targetEndpoints, publisherId] = [
      'replication',
      'cluster',
      'endpoints',
      'publisher',
    ].map((field) => form.get(field)?.trim() ?? '');
    const publisher = { clusterName, targetEndpoints, ...(publisherId && { publisherId }) };
    return { body: { config: { name, batchPublishers: [publisher] } } };
  },
  fieldAt: { '#/config/name': 'replication' },
});

function actOf({ replication, publisher }: Names, form: Form, t: Translate): Act | undefined {
  const id = `${replication}/${publisher}`;
  const mapIn = (typed: Form) => typed.get('map')?.trim() ?? '';
  const all: readonly Act[] = [
    {
      name: 'stop',
      operation: 'stopWanPublisher',
      title: t('wan.stopOf', { id }),
      effects: [t('wan.neitherQueuedNorSent'), t('wan.missingUntilSync')],
      button: t('wan.stopPublisher'),
    },
    {
      name: 'clear',
      operation: 'clearWanPublisher',
      title: t('wan.clearOf', { id }),
      effects: [t('wan.thrownAway')],
      button: t('wan.clearQueues'),
      isDangerous: true,
      typedName: id,
    },
    {
      name: 'sync',
      operation: 'syncWanPublisher',
      title: t('wan.syncOf', { id }),
      effects: [t('wan.entriesSent')],
      button: t('wan.synchronize'),
      texts: [{ name: 'map', label: t('wan.map'), hint: t('wan.everyMap') }],
      requestOf: (typed) => ({ body: mapIn(typed) === '' ? {} : { map: mapIn(typed) } }),
    },
    {
      name: 'check',
      operation: 'checkWanPublisher',
      title: t('wan.checkOf', { id }),
      effects: [t('wan.mapCompared'), t('wan.merkleTrees')],
      button: t('wan.check'),
      texts: [{ name: 'map', label: t('wan.map'), isRequired: true }],
      requestOf: (typed) => ({ body: { map: mapIn(typed) } }),
    },
  ];
  return all.find(({ name }) => name === form.get('do'));
}
