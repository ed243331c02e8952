/** `/cluster/wan`: WAN publishers by their names, what was done to them, and what they are told to do. */

import { ProblemError, problems } from '../../../platform/errors.ts';
import {
  type PublisherModel,
  publisherHref,
  renderPublisher,
  renderPublishers,
  type ShownPublisher,
  type ShownSync,
  wanHref,
} from '../../../views/management/cluster/wan.tsx';
import { textFor } from '../../http/display/presentation.ts';
import type { Form } from '../../http/form.ts';
import type { Act, Acts } from '../acts.ts';
import { type ListAnswer, placesOf, queryOf } from '../lists.ts';
import { fieldErrorsOf, type PageContext, type PageTools } from '../page-tools.ts';

const path = [{ title: 'WAN replication', href: wanHref }];
const listPlace = { path, href: wanHref };

const doneNotices: Readonly<Record<string, { readonly text: string; readonly undo?: string }>> = {
  pause: { text: 'Paused: changes are queued and not sent.', undo: 'resume' },
  resume: { text: 'It sends again.', undo: 'pause' },
  stop: { text: 'Stopped: changes are neither queued nor sent.' },
  clear: { text: 'The queues of the publisher are empty.' },
  sync: { text: 'The synchronization has begun.' },
  check: { text: 'The check has begun.' },
};

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

export function createWanPages(tools: PageTools, acts: Acts) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const [replication, publisher] = ['replication', 'publisher'].map((name) => form.get(name)?.trim());
      if (replication && publisher) return tools.goTo(ctx, publisherHref({ replication, publisher }));
      if (form.get('do') === addAct.name) return acts.ask(ctx, addAct, listPlace);
      await showList(ctx, undefined);
    },
    /** `POST /cluster/wan`: adds a publisher. */
    async add(ctx: PageContext): Promise<void> {
      if (ctx.state.form.get('do') !== addAct.name) return tools.goTo(ctx, wanHref);
      const answer = await acts.perform<Added>(ctx, addAct, listPlace, {});
      if (answer) await showList(ctx, addedText(answer.body));
    },
    async show(ctx: PageContext): Promise<void> {
      const publisher = await find(ctx);
      const { form } = ctx.state;
      const act = actOf(publisher, form);
      if (act) return acts.ask(ctx, act, placeOf(publisher));
      await showPublisher(ctx, publisher, { notice: doneNotices[form.get('done') ?? ''] });
    },
    /** `POST /cluster/wan/:replication/:publisher`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const publisher = await find(ctx);
      const { form } = ctx.state;
      const name = form.get('do') ?? '';
      const act = actOf(publisher, form);
      if (act) {
        const { replication, publisher: id } = publisher;
        const params = { replication, publisher: id };
        const answer = await acts.perform<Done>(ctx, act, placeOf(publisher), params);
        if (answer) await sayDone(ctx, publisher, name, answer.body);
      } else if (atOnce[name] !== undefined) await doAtOnce(ctx, publisher, name);
      else tools.goTo(ctx, publisherHref(publisher));
    },
  };

  async function showList(ctx: PageContext, notice: string | undefined): Promise<void> {
    const asked = queryOf(ctx.state.form, []);
    const { body } = await tools.run<ListAnswer<ShownPublisher>>(ctx, 'listWanPublishers', { query: asked });
    const may = await tools.mayRun(ctx, [addAct.operation]);
    const html = renderPublishers({
      frame: await tools.frame(ctx),
      publishers: body.items,
      primary: may.has(addAct.operation)
        ? { label: 'Add publisher', href: `${wanHref}?do=${addAct.name}` }
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
      return { ...params, last: null, lastSync: null };
    }
  }

  async function doAtOnce(ctx: PageContext, publisher: ShownPublisher, name: string): Promise<void> {
    const t = textFor(ctx);
    const { replication, publisher: id } = publisher;
    const request = { params: { replication, publisher: id }, body: {} };
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
    const missed = results.filter(({ isDone }) => !isDone);
    if (missed.length === 0) return tools.goTo(ctx, `${publisherHref(names)}?done=${name}`);
    const said = missed.map(({ member, reason }) => `${member}: ${reason ?? 'no reason given'}`).join(' ');
    const count = `${missed.length} of ${results.length} members ${missed.length === 1 ? 'has' : 'have'}`;
    await showPublisher(ctx, await find(ctx), { problem: `${count} not done it. ${said}` });
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
      sync: await syncOf(ctx, publisher),
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
    { lastSync }: ShownPublisher,
  ): Promise<ShownSync | string | undefined> {
    if (!lastSync?.sync) return undefined;
    try {
      return (await tools.run<ShownSync>(ctx, 'readWanSync', { params: { sync: lastSync.sync } })).body;
    } catch (error) {
      if (error instanceof ProblemError) return error.message;
      throw error;
    }
  }
}

function placeOf(names: Names) {
  const href = publisherHref(names);
  return { path: [...path, { title: `${names.replication}/${names.publisher}`, href }], href };
}

function addedText({ added, ignored }: Added): string {
  const known = ignored.length === 0 ? '' : ` Already there: ${ignored.join(', ')}.`;
  return added.length === 0 ? `Nothing was added.${known}` : `Added: ${added.join(', ')}.${known}`;
}

const addAct: Act = {
  name: 'new',
  operation: 'addWanConfig',
  title: 'Add publisher',
  effects: [
    'Every member sends the changes of the maps of this replication to another cluster.',
    'It lasts until the members start anew: write it into their configuration too.',
  ],
  button: 'Add publisher',
  isMaking: true,
  texts: [
    { name: 'replication', label: 'WAN replication', hint: 'The name that maps refer to.', isRequired: true },
    { name: 'cluster', label: 'Name of the other cluster', isRequired: true },
    {
      name: 'endpoints',
      label: 'Its members',
      hint: 'host:port, with commas between them.',
      isRequired: true,
    },
    {
      name: 'publisher',
      label: 'Publisher id',
      hint: 'The name of the other cluster where it is left empty.',
    },
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
};

function actOf({ replication, publisher }: Names, form: Form): Act | undefined {
  const id = `${replication}/${publisher}`;
  const map = () => form.get('map')?.trim() ?? '';
  const all: readonly Act[] = [
    {
      name: 'stop',
      operation: 'stopWanPublisher',
      title: `Stop ${id}`,
      effects: [
        'At each member changes are neither queued nor sent from now on.',
        'What changes meanwhile is missing in the other cluster until it is synchronized.',
      ],
      button: 'Stop publisher',
    },
    {
      name: 'clear',
      operation: 'clearWanPublisher',
      title: `Clear ${id}`,
      effects: ['What is queued at each member is thrown away, and never gets to the other cluster.'],
      button: 'Clear queues',
      isDangerous: true,
      typedName: id,
    },
    {
      name: 'sync',
      operation: 'syncWanPublisher',
      title: `Synchronize ${id}`,
      effects: ['The entries are sent to the other cluster. Large maps load the network and both clusters.'],
      button: 'Synchronize',
      texts: [{ name: 'map', label: 'Map', hint: 'Every map of the replication where it is left empty.' }],
      requestOf: () => ({ body: map() === '' ? {} : { map: map() } }),
    },
    {
      name: 'check',
      operation: 'checkWanPublisher',
      title: `Check ${id}`,
      effects: [
        'A map is compared with that of the other cluster.',
        'The publisher has to have Merkle trees as its consistency check.',
      ],
      button: 'Check',
      texts: [{ name: 'map', label: 'Map', isRequired: true }],
      requestOf: () => ({ body: { map: map() } }),
    },
  ];
  return all.find(({ name }) => name === form.get('do'));
}
