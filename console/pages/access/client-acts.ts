/** What is done with machine clients and with applications alike: disabled, given another secret, removed. */
import type { Act, ActPlace, Acts } from '../acts.ts';
import { createHistory, putBackAct } from '../history/history.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

export interface ClientWords {
  /** In ids of operations: `disableClient`. */
  readonly operation: 'Client' | 'Application';
  readonly noun: 'machine client' | 'application';
  readonly plural: 'Machine clients' | 'Applications';
  readonly listHref: '/access/clients' | '/access/applications';
  /** What it loses with its secret. */
  readonly lost: string;
}

interface ActedClient {
  readonly id: string;
  readonly displayName: string | null;
  readonly secrets: readonly { readonly id: string }[];
}

export interface Found<Shown> {
  readonly client: Shown;
  readonly version: string;
}

/** What has just been done, by the address that the browser was sent to. */
export const clientNotices: Readonly<Record<string, { readonly text: string; readonly undo?: string }>> = {
  saved: { text: 'Saved.' },
  unchanged: { text: 'Nothing was different.' },
  disabled: { text: 'Disabled: every token that it had is refused.', undo: 'enable' },
  enabled: { text: 'Enabled: it gets new tokens.', undo: 'disable' },
  ended: { text: 'The secret has ended.' },
  'put-back': { text: 'Put back.' },
};

export const clientStatuses = [
  { value: 'active', label: 'Enabled' },
  { value: 'disabled', label: 'Disabled' },
];

export function createClientActs<Shown extends ActedClient>(
  tools: PageTools,
  acts: Acts,
  words: ClientWords,
) {
  const kind = words.operation === 'Client' ? 'clients' : 'applications';
  const history = createHistory(tools, acts, { kind, object: 'client' });
  const presentOf = ({ client, version }: Found<Shown>) => ({ id: client.id, stored: client, version });
  const hrefOf = ({ id }: ActedClient) => `${words.listHref}/${encodeURIComponent(id)}`;
  const placeOf = (client: ActedClient): ActPlace => ({
    path: [
      { title: words.plural, href: words.listHref },
      { title: client.displayName ?? client.id, href: hrefOf(client) },
    ],
    href: hrefOf(client),
  });

  return {
    placeOf,
    /** @returns undefined for who may not read the audit */
    historyOf: (ctx: PageContext, found: Found<Shown>) => history.of(ctx, presentOf(found)),
    async find(ctx: PageContext, id = String(ctx.params.client)): Promise<Found<Shown>> {
      const params = { client: id };
      const { body, version = '' } = await tools.run<Shown>(ctx, `read${words.operation}`, { params });
      return { client: body, version };
    },
    /** Sends the page that asks. @returns whether the address names an act */
    async ask(ctx: PageContext, found: Found<Shown>): Promise<boolean> {
      const { client } = found;
      const { form } = ctx.state;
      if (await history.ask(ctx, presentOf(found), placeOf(client))) return true;
      const { now } = tools.reader(ctx);
      const act = actNamed(form.get('do'), client, form.get('secret'), { words, now });
      if (act) await acts.ask(ctx, act, placeOf(client));
      return act !== undefined;
    },
    /** Does what the form names in `do`. @param showSecret  shows the one that was made, this once */
    async perform(
      ctx: PageContext,
      found: Found<Shown>,
      showSecret: (secret: string | undefined) => Promise<void>,
    ): Promise<void> {
      const { client } = found;
      const { form } = ctx.state;
      const asked = form.get('do') ?? '';
      const params = { client: client.id };
      if (asked === 'enable' || asked === 'disable') {
        await tools.run(ctx, `${asked}${words.operation}`, { params });
        return tools.goTo(ctx, `${hrefOf(client)}?done=${asked}d`);
      }
      if (asked === putBackAct) {
        const done = await history.perform(ctx, presentOf(found), placeOf(client));
        if (done) tools.goTo(ctx, `${hrefOf(client)}?done=${putBackAct}`);
        return;
      }
      const secret = form.get('secret');
      const { now } = tools.reader(ctx);
      const act = actNamed(asked, client, secret, { words, now });
      if (!act) return tools.goTo(ctx, hrefOf(client));
      const named = act.name === 'end-secret' ? { ...params, secret: secret! } : params;
      const answer = await acts.perform<WithSecret | undefined>(ctx, act, placeOf(client), named);
      if (!answer) return;
      if (act.name === 'remove') return tools.goTo(ctx, `${words.listHref}?done=removed`);
      if (act.name === 'end-secret') return tools.goTo(ctx, `${hrefOf(client)}?done=ended`);
      await showSecret(answer.body?.secret ?? undefined);
    },
  };
}

interface WithSecret {
  readonly secret: string | null;
}

function actNamed(
  name: string | undefined,
  client: ActedClient,
  secret: string | undefined,
  { words, now }: { readonly words: ClientWords; readonly now: Date },
): Act | undefined {
  if (name === 'rotate') return rotation(client, words, now);
  if (name === 'remove') return removal(client, words);
  const isItsOwn = client.secrets.some((one) => one.id === secret);
  return name === 'end-secret' && isItsOwn ? secretEnd(client, secret!, words) : undefined;
}

function removal({ id }: ActedClient, { operation, noun, lost }: ClientWords): Act {
  return {
    name: 'remove',
    operation: `delete${operation}`,
    title: `Remove ${id}`,
    effects: [`${id} ${lost}, and every token that it has stops working at once.`, 'This cannot be undone.'],
    button: `Remove ${noun}`,
    isDangerous: true,
    typedName: id,
  };
}

function secretEnd({ id, secrets }: ActedClient, secret: string, { operation, lost }: ClientWords): Act {
  return {
    name: 'end-secret',
    operation: `delete${operation}Secret`,
    title: `End the secret ${secret} of ${id}`,
    effects: [
      'Whoever has this secret gets no token any more.',
      ...(secrets.length === 1 ? [`It is the only one: ${id} ${lost} until it has another.`] : []),
    ],
    button: 'End secret',
    isDangerous: true,
    hidden: { secret },
    selects: [
      {
        name: 'tokens',
        label: 'Tokens that it has',
        value: 'true',
        options: [
          { value: 'true', label: 'Stop working too: somebody else may have the secret' },
          { value: 'false', label: 'Go on until they expire: nobody else has the secret' },
        ],
      },
    ],
    requestOf: (form) => ({ query: { endTokens: form.get('tokens') ?? 'true' } }),
  };
}

function rotation({ id, secrets }: ActedClient, { operation }: ClientWords, now: Date): Act {
  const hasRoom = secrets.length < 2;
  return {
    name: 'rotate',
    operation: `create${operation}Secret`,
    title: `Rotate the secret of ${id}`,
    effects: ['The next page has a new secret, once.'],
    button: 'Rotate secret',
    isMaking: true,
    selects: [
      {
        name: 'ends',
        label: 'The secret that it has',
        value: hasRoom ? 'none' : 'oldest',
        options: [
          ...(hasRoom
            ? [{ value: 'none', label: 'Goes on, until you end it here: callers move over first' }]
            : [{ value: 'oldest', label: 'The older one ends now, the newer one goes on' }]),
          ...laterEnds.map(({ value, label }) => ({
            value,
            label: hasRoom ? `Ends ${label}` : `The older one ends now, the newer one ${label}`,
          })),
          { value: 'all', label: 'Ends now, with every token: somebody else may have it' },
        ],
      },
    ],
    requestOf: (form) => ({ body: endsOf(form.get('ends') ?? 'none', hasRoom, now) }),
  };
}

/** Time for callers to move over, without somebody who has to think of it. */
const laterEnds = [
  { value: '1h', label: 'in one hour', ms: 3_600_000 },
  { value: '24h', label: 'in one day', ms: 86_400_000 },
] as const;

function endsOf(chosen: string, hasRoom: boolean, now: Date): object {
  const later = laterEnds.find(({ value }) => value === chosen);
  if (!later) return { ends: chosen };
  const othersEndAt = new Date(now.getTime() + later.ms).toISOString();
  return { ends: hasRoom ? 'none' : 'oldest', othersEndAt };
}
