/** What is done with machine clients and with applications alike: disabled, given another secret, removed. */
import { momentText } from '../../../views/elements/moment.ts';
import type { DoneNotice } from '../../../views/management/detail.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, ActPlace, Acts } from '../acts.ts';
import { createHistory, putBackAct } from '../history/history.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

export interface ClientWords {
  /** In ids of operations: `disableClient`. */
  readonly operation: 'Client' | 'Application';
  readonly plural: 'common.machineClients' | 'common.applications';
  readonly listHref: '/access/clients' | '/access/applications';
  /** What it loses when it is removed, and with its only secret. */
  readonly loses: 'clients.losesTokens' | 'applications.losesSignIns';
  readonly onlySecret: 'clients.onlySecret' | 'applications.onlySecret';
  readonly remove: 'clients.removeClient' | 'applications.removeApplication';
}

interface ActedClient {
  readonly id: string;
  readonly displayName: string | null;
  readonly secrets: readonly { readonly id: string; readonly lastUsedAt: string | null }[];
  /** Of a machine client. */
  readonly tokensLastHour?: number;
  /** Of an application. */
  readonly openSessions?: { readonly value: number; readonly isExact: boolean };
}

export interface Found<Shown> {
  readonly client: Shown;
  readonly version: string;
}

/** What has just been done, by the address that the browser was sent to. */
export const clientNotices = (t: Translate): Readonly<Record<string, DoneNotice>> => ({
  saved: { text: t('access.saved'), undo: putBackAct },
  unchanged: { text: t('common.nothingWasDifferent') },
  disabled: { text: t('clients.disabledDone'), undo: 'enable' },
  enabled: { text: t('clients.enabledDone'), undo: 'disable' },
  ended: { text: t('clients.secretEnded') },
  'put-back': { text: t('access.putBack') },
});

export const clientStatuses = (t: Translate) => [
  { value: 'active', label: t('access.enabled') },
  { value: 'disabled', label: t('access.disabled') },
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
  const placeOf = (client: ActedClient, t: Translate): ActPlace => ({
    path: [
      { title: t(words.plural), href: words.listHref },
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
      const t = textFor(ctx);
      if (await history.ask(ctx, presentOf(found), placeOf(client, t))) return true;
      const act = actNamed(form.get('do'), client, form.get('secret'), wordingOf(ctx, t));
      if (act) await acts.ask(ctx, act, placeOf(client, t), paramsOf(client, act));
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
      const t = textFor(ctx);
      if (asked === 'enable' || asked === 'disable') {
        await tools.run(ctx, `${asked}${words.operation}`, { params: { client: client.id } });
        return tools.goTo(ctx, `${hrefOf(client)}?done=${asked}d`);
      }
      if (asked === putBackAct) {
        const done = await history.perform(ctx, presentOf(found), placeOf(client, t));
        if (done) tools.goTo(ctx, `${hrefOf(client)}?done=${putBackAct}`);
        return;
      }
      const secret = form.get('secret');
      const act = actNamed(asked, client, secret, wordingOf(ctx, t));
      if (!act) return tools.goTo(ctx, hrefOf(client));
      const place = placeOf(client, t);
      const answer = await acts.perform<WithSecret | undefined>(ctx, act, place, paramsOf(client, act));
      if (!answer) return;
      if (act.name === 'remove') return tools.goTo(ctx, `${words.listHref}?done=removed`);
      if (act.name === 'end-secret') return tools.goTo(ctx, `${hrefOf(client)}?done=ended`);
      await showSecret(answer.body?.secret ?? undefined);
    },
  };

  function wordingOf(ctx: PageContext, t: Translate): Wording {
    const { now, presentation } = tools.reader(ctx);
    const moment = (at: string) => momentText(new Date(at), presentation.zone, presentation.language);
    return { words, now, moment, t };
  }
}

function paramsOf({ id }: ActedClient, { name, hidden }: Act): Readonly<Record<string, string>> {
  return { client: id, ...(name === 'end-secret' && { secret: hidden!.secret! }) };
}

interface WithSecret {
  readonly secret: string | null;
}

interface Wording {
  readonly words: ClientWords;
  readonly now: Date;
  /** As the reader writes it. @param at  as the API does */
  readonly moment: (at: string) => string;
  readonly t: Translate;
}

function actNamed(
  name: string | undefined,
  client: ActedClient,
  secret: string | undefined,
  said: Wording,
): Act | undefined {
  if (name === 'rotate') return rotation(client, said);
  if (name === 'remove') return removal(client, said);
  const isItsOwn = client.secrets.some((one) => one.id === secret);
  return name === 'end-secret' && isItsOwn ? secretEnd(client, secret!, said) : undefined;
}

/** Who has it now, as far as that is counted. */
function inUse({ tokensLastHour, openSessions }: ActedClient, { t }: Wording): readonly string[] {
  return [
    ...(tokensLastHour === undefined ? [] : [t('clients.tokensOfHour', { n: tokensLastHour })]),
    ...(openSessions === undefined
      ? []
      : [
          t(openSessions.isExact ? 'clients.signedInNow' : 'clients.signedInAtLeast', {
            n: openSessions.value,
          }),
        ]),
  ];
}

function secretUse({ id, lastUsedAt }: ActedClient['secrets'][number], { moment, t }: Wording): string {
  return lastUsedAt === null
    ? t('clients.secretUnused', { secret: id })
    : t('clients.secretLastUsed', { secret: id, at: moment(lastUsedAt) });
}

function removal(client: ActedClient, said: Wording): Act {
  const { id } = client;
  const {
    words: { operation, loses, remove },
    t,
  } = said;
  return {
    name: 'remove',
    operation: `delete${operation}`,
    title: t('users.removeNamed', { id }),
    effects: [t(loses, { id }), ...inUse(client, said), t('access.cannotBeUndone')],
    button: t(remove),
    isDangerous: true,
    typedName: id,
  };
}

function secretEnd(client: ActedClient, secret: string, said: Wording): Act {
  const { id, secrets } = client;
  const {
    words: { operation, onlySecret },
    t,
  } = said;
  return {
    name: 'end-secret',
    operation: `delete${operation}Secret`,
    title: t('clients.endSecretOf', { secret, id }),
    effects: [
      t('clients.whoHasSecret'),
      ...(secrets.length === 1 ? [t(onlySecret, { id })] : []),
      ...secrets.filter((one) => one.id === secret).map((one) => secretUse(one, said)),
      ...inUse(client, said),
    ],
    button: t('clients.endSecret'),
    isDangerous: true,
    hidden: { secret },
    selects: [
      {
        name: 'tokens',
        label: t('clients.tokensItHas'),
        value: 'true',
        areSentences: true,
        options: [
          { value: 'true', label: t('clients.stopToo') },
          { value: 'false', label: t('clients.goOnUntilExpiry') },
        ],
      },
    ],
    requestOf: (form) => ({ query: { endTokens: form.get('tokens') ?? 'true' } }),
  };
}

function rotation(client: ActedClient, said: Wording): Act {
  const { id, secrets } = client;
  const {
    words: { operation },
    now,
    t,
  } = said;
  const hasRoom = secrets.length < 2;
  return {
    name: 'rotate',
    operation: `create${operation}Secret`,
    title: t('clients.rotateSecretOf', { id }),
    effects: [
      t('clients.nextPageNewSecret'),
      ...secrets.map((one) => secretUse(one, said)),
      ...inUse(client, said),
    ],
    button: t('clients.rotateSecret'),
    isMaking: true,
    selects: [
      {
        name: 'ends',
        label: t('clients.secretItHas'),
        value: 'used',
        areSentences: true,
        options: [
          { value: 'used', label: t(hasRoom ? 'clients.endsOnUse' : 'clients.olderEndsNewerOnUse') },
          ...(hasRoom
            ? [{ value: 'none', label: t('clients.goesOn') }]
            : [{ value: 'oldest', label: t('clients.olderEnds') }]),
          ...laterEnds.map(({ value, ends, newerEnds }) => ({ value, label: t(hasRoom ? ends : newerEnds) })),
          { value: 'all', label: t('clients.endsNow') },
        ],
      },
    ],
    requestOf: (form) => ({ body: endsOf(form.get('ends') ?? 'used', hasRoom, now) }),
  };
}

/** Time for callers to move over, without somebody who has to think of it. */
const laterEnds = [
  { value: '1h', ends: 'clients.endsInHour', newerEnds: 'clients.olderEndsNewerInHour', ms: 3_600_000 },
  { value: '24h', ends: 'clients.endsInDay', newerEnds: 'clients.olderEndsNewerInDay', ms: 86_400_000 },
] as const;

function endsOf(chosen: string, hasRoom: boolean, now: Date): object {
  const ends = hasRoom ? 'none' : 'oldest';
  if (chosen === 'used') return { ends, othersEndOnUse: true };
  const later = laterEnds.find(({ value }) => value === chosen);
  if (!later) return { ends: chosen };
  const othersEndAt = new Date(now.getTime() + later.ms).toISOString();
  return { ends, othersEndAt };
}
