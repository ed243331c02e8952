/** `/access/clients`: programs that ask for tokens, what they may do, and their secrets. */

import { ProblemError } from '../../../../platform/errors.ts';
import { type NewClientForm, renderNewClient } from '../../../../views/management/access/client-form.tsx';
import type { ShownClientCall, ShownTrial } from '../../../../views/management/access/client-trial.tsx';
import {
  type ClientModel,
  clientHref,
  renderClient,
  renderClients,
  type ShownClient,
} from '../../../../views/management/access/clients.tsx';
import { isNotRead } from '../../../../views/management/live/not-read.tsx';
import { saidIn } from '../../../../views/texts/text.ts';
import { textFor } from '../../../http/display/presentation.ts';
import type { Acts } from '../../acts.ts';
import { createBulk } from '../../bulk/bulk.ts';
import type { Forms, Shown } from '../../forms.ts';
import { editNotice } from '../../history/history.ts';
import { listed } from '../../listed-pages.ts';
import {
  filtersOf,
  type ListAnswer,
  operationQueryOf,
  placesOf,
  sortedQueryOf,
  sortingOf,
} from '../../lists.ts';
import type { PageContext, PageTools } from '../../page-tools.ts';
import { callsShown } from '../../plots.ts';
import { clientNotices, clientStatuses, createClientActs, type Found } from '../client-acts.ts';
import { accessProblems, sendSentence, sentenceOf } from '../granted-access.ts';
import {
  addition,
  clientFormOf,
  edit,
  emptyForm,
  fieldOf,
  keyProblems,
  typedForm,
  typedNewForm,
} from './client-changes.ts';
import { firstCall, firstClientSnippets, snippetsFor } from './client-snippets.ts';
import { narrowAct, narrowing, usageOf } from './client-usage.ts';

const listHref = '/access/clients';
const words = {
  operation: 'Client',
  plural: 'common.machineClients',
  listHref,
  loses: 'clients.losesTokens',
  onlySecret: 'clients.onlySecret',
  remove: 'clients.removeClient',
} as const;

interface CallAnswer {
  readonly isAllowed: boolean;
  readonly because: string;
  readonly reply: {
    readonly status: number;
    readonly member: string;
    readonly durationMs: number;
    readonly bytes: number;
    readonly value: string;
  } | null;
}

/** One that reads, of those that its scopes open. */
function callOf({ scopes }: ShownClient): string | undefined {
  const { method, path } = firstCall(scopes);
  return method === 'GET' && !/\/queues\/[^/]+\/\d+$/.test(path) ? path : undefined;
}

type WithSecret = ShownClient & { readonly secret: string | null };

/** @param origin  of this console, for what is pasted elsewhere */
/** @param now  epoch milliseconds */
export function createClientPages(
  tools: PageTools,
  acts: Acts,
  forms: Forms,
  origin: string,
  now: () => number,
) {
  const clientActs = createClientActs<ShownClient>(tools, acts, words);
  const bulk = createBulk({ tools, acts, origin }, 'clients', (t) => t('common.machineClients'));
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'new') {
        await tools.check(ctx, 'createClient');
        return showNew(ctx, emptyForm(t), { errors: [] });
      }
      if (await bulk.ask(ctx)) return;
      const asked = sortedQueryOf(form, listed.clients);
      const query = operationQueryOf(listed.clients, asked);
      const { body } = await tools.run<ListAnswer<ShownClient>>(ctx, 'listClients', { query });
      const may = await tools.mayRun(ctx, ['createClient', 'tryClient', 'readAccessUsage']);
      const html = renderClients({
        frame: await tools.frame(ctx),
        csrf: tools.csrf(ctx),
        mayTry: may.has('tryClient'),
        mayReadUsage: may.has('readAccessUsage'),
        clients: body.items.map((client) => ({ ...client, sentence: sentenceOf(client.scopes, t) })),
        primary: may.has('createClient')
          ? { label: t('common.addMachineClient'), href: `${listHref}?do=new` }
          : undefined,
        firstSnippets: may.has('createClient') ? firstClientSnippets(origin, t) : undefined,
        filters: filtersOf(
          listHref,
          asked,
          t('access.nameOrId'),
          [{ name: 'status', label: t('access.status'), options: clientStatuses(t) }],
          t,
        ),
        notice: form.get('done') === 'removed' ? t('clients.removed') : undefined,
        ...(await bulk.state(ctx, body)),
        sorting: sortingOf(listed.clients, asked),
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    /** `POST /access/clients`: adds one, whose secret is in this answer alone, or acts on many. */
    async create(ctx: PageContext): Promise<void> {
      if (await bulk.perform(ctx)) return;
      if (await sendSentence(ctx, tools, 'createClient')) return;
      const t = textFor(ctx);
      const typed = typedNewForm(ctx.state.form, t);
      const again = (shown: Shown) => showNew(ctx, typed, shown);
      const problems = [...accessProblems(typed.access, t), ...keyProblems(typed, typed.authentication, t)];
      const added = await forms.take<WithSecret>(ctx, { change: addition(typed), fieldOf, again, problems });
      if (!added) return;
      const { secret } = added.body;
      await showClient(ctx, await clientActs.find(ctx, typed.id), secret === null ? {} : { secret });
    },
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const found = await clientActs.find(ctx);
      if (await clientActs.ask(ctx, found)) return;
      const act = await narrowingOf(ctx, found);
      if (act) return acts.ask(ctx, act, clientActs.placeOf(found.client, t), { client: found.client.id });
      await showClient(ctx, found, { notice: clientNotices(t)[ctx.state.form.get('done') ?? ''] });
    },
    /** `POST /access/clients/:client`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      if (await sendSentence(ctx, tools, 'updateClient')) return;
      const found = await clientActs.find(ctx);
      const asked = ctx.state.form.get('do');
      if (asked === 'save') return save(ctx, found);
      if (asked === narrowAct) return narrow(ctx, found);
      if (asked === 'try') {
        return tryOut(ctx, found);
      }
      await clientActs.perform(ctx, found, async (secret) =>
        showClient(ctx, await clientActs.find(ctx), { secret }),
      );
    },
  };

  /** What its token would carry, and a call with it: one that reads, which the form may name. */
  async function tryOut(ctx: PageContext, found: Found<ShownClient>): Promise<void> {
    const params = { client: found.client.id };
    const { body: trial } = await tools.run<ShownTrial>(ctx, 'tryClient', { params, body: {} });
    const path = ctx.state.form.get('path')?.trim() ?? callOf(found.client);
    await showClient(ctx, found, { trial, call: await callAs(ctx, params, path) });
  }

  async function callAs(
    ctx: PageContext,
    params: { readonly client: string },
    path: string | undefined,
  ): Promise<ShownClientCall> {
    if (path === undefined) return { path: '' };
    try {
      const { body } = await tools.run<CallAnswer>(ctx, 'callAsClient', { params, body: { path } });
      const { reply, ...verdict } = body;
      const text = reply && Buffer.from(reply.value, 'base64').toString('utf8');
      return { path, ...verdict, reply: reply ? { ...reply, text: text! } : undefined };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { path, problem: saidIn(textFor(ctx).language, error.message) ?? error.message };
    }
  }

  /** Where the address or the form asks for it, and something is unused. */
  async function narrowingOf(ctx: PageContext, { client, version }: Found<ShownClient>) {
    if (ctx.state.form.get('do') !== narrowAct) return undefined;
    // What has been used until now, to the last call, is not taken away.
    const usage = await usageOf(ctx, tools, client, { isBrief: false });
    return usage && !isNotRead(usage) && narrowing(client, version, usage, textFor(ctx));
  }

  async function narrow(ctx: PageContext, found: Found<ShownClient>): Promise<void> {
    const { client } = found;
    const act = await narrowingOf(ctx, found);
    if (!act) return tools.goTo(ctx, `${clientHref(client.id)}?done=unchanged`);
    const done = await acts.perform(ctx, act, clientActs.placeOf(client, textFor(ctx)), {
      client: client.id,
    });
    if (done) tools.goTo(ctx, `${clientHref(client.id)}?done=saved`);
  }

  async function save(ctx: PageContext, found: Found<ShownClient>): Promise<void> {
    const t = textFor(ctx);
    const typed = typedForm(ctx.state.form, t, clientFormOf(found.client, t));
    const again = (shown: Shown) => showClient(ctx, found, { form: typed, ...shown });
    const problems = [...accessProblems(typed.access, t), ...keyProblems(typed, undefined, t)];
    const change = edit(found.client, typed);
    const answer = await forms.take(ctx, { change, fieldOf, again, problems });
    if (!answer) return;
    tools.goTo(ctx, `${clientHref(found.client.id)}?done=${answer.isUnchanged ? 'unchanged' : 'saved'}`);
  }

  async function showClient(
    ctx: PageContext,
    { client, version }: Found<ShownClient>,
    shown: Partial<ClientModel>,
  ): Promise<void> {
    const t = textFor(ctx);
    const may = await tools.mayRun(ctx, ['updateClient']);
    const history = await clientActs.historyOf(ctx, { client, version });
    const html = renderClient({
      frame: await tools.frame(ctx),
      client,
      sentence: sentenceOf(client.scopes, t),
      form: clientFormOf(client, t),
      ...forms.editState(ctx, client, version),
      mayChange: may.has('updateClient'),
      snippets: snippetsFor(origin, client, shown.secret),
      history,
      usage: await usageOf(ctx, tools, client, { isBrief: true }),
      calls: await callsShown(ctx, tools, client.id, now),
      ...shown,
      notice: editNotice(ctx, shown.notice, history?.changes, version),
    });
    tools.send(ctx, html, shown.errors?.length ? 400 : 200);
  }

  async function showNew(ctx: PageContext, form: NewClientForm, shown: Shown): Promise<void> {
    const html = renderNewClient({ ...(await forms.addState(ctx, shown)), form });
    tools.send(ctx, html, shown.errors.length > 0 ? 400 : 200);
  }
}
