/** `/api/v1/access/usage`, `unused`, `administrators`, `what-if`: what is granted beside what is used of it. */
import { z } from 'zod';
import { type Cursors, defaultItems, listOf, listQuery } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import type { ClientRecord } from '../../storage/records.ts';

/** What a machine client has and does not use. */
export interface UnusedGrants {
  /** Undefined where it is not known, for what `unknown` says. */
  readonly scopes?: readonly string[];
  readonly unknown?: 'new' | 'uncounted' | 'pending';
  /** Otherwise some calls were not counted. */
  readonly isComplete: boolean;
}

export interface UsageNeeds {
  /** Errors are {@link ProblemError}s. */
  readonly usageAnswers: {
    /** With `isBrief`, without the calls of the last seconds, and without waiting for the disk. */
    usageOf(
      asked: {
        readonly client?: string | undefined;
        readonly user?: string | undefined;
        readonly role?: string | undefined;
        readonly days?: number | undefined;
      },
      terms: { readonly isBrief: boolean },
    ): Promise<object>;
    /** `withinMs`: what takes longer is `pending`. */
    unusedGrants(
      clients: readonly ClientRecord[],
      withinMs: number,
    ): Promise<(client: ClientRecord) => UnusedGrants>;
    unused(asked: {
      readonly days: number;
      readonly limit: number;
      readonly after?: string | undefined;
    }): Promise<{ readonly items: readonly object[]; readonly next?: string | undefined }>;
    administrators(days: number): Promise<object>;
    whatIf(asked: {
      readonly role?: string | undefined;
      readonly client?: string | undefined;
      readonly change: { readonly permissions?: readonly string[]; readonly scopes?: readonly string[] };
      readonly days: number;
    }): Promise<object>;
  };
  readonly cursors: Cursors;
}

const usualDays = 30;
const number = z.number().int().min(1).max(400).meta({
  description: 'The last so many days, today included; at most `CONSOLE_USAGE_DAYS`. 30 by default.',
});
const days = z.coerce.number().pipe(number).exactOptional();
const id = z.string().max(256);
const gap = z.enum(['callers', 'names', 'not-counted', 'separate-proxies']);
const period = {
  days: z.number().int(),
  since: dateTime,
  isComplete: z.boolean(),
  incomplete: z.array(gap).meta({
    description:
      'Why it is not all that happened: names or callers beyond the room of a day count as one, and proxies in processes of their own do not count.',
  }),
};
const call = {
  permission: z.string().meta({ description: 'What the call needs.' }),
  structure: z.string().nullable().meta({ example: 'map:read' }),
  names: z.array(z.string()).nullable().meta({
    description: 'Of the map or queue, as each member reads it; null where names were not told apart.',
  }),
  isAllowed: z.boolean(),
  calls: z.number().int(),
  firstAt: dateTime,
  lastAt: dateTime,
  decisionId: z.string().nullable().meta({ description: 'Of the last call that was refused.' }),
};
const asked = z.strictObject({ scope: z.string(), calls: z.number().int(), lastAt: dateTime });
const usageView = view({
  ...period,
  subject: z.strictObject({ kind: z.enum(['client', 'user', 'role']), id: z.string() }),
  holders: z.number().int().exactOptional().meta({ description: 'Of a role: who has it and has called.' }),
  granted: z.strictObject({ roles: z.array(z.string()), permissions: z.array(z.string()) }),
  used: z.array(z.strictObject({ ...call, isOpenNow: z.boolean() })),
  usedKinds: z.number().int().meta({ description: 'Kinds of calls; `used` has 500 of them at most.' }),
  callsAsAdministrator: z.number().int(),
  asked: z.array(asked).meta({ description: 'Scopes of the tokens of these calls.' }),
  proposal: z
    .strictObject({
      permissions: z.array(z.string()),
      roles: z
        .array(z.string())
        .meta({ description: 'Of a person: roles that there are and that are enough.' }),
      isSmaller: z.boolean(),
      remove: z.array(z.string()),
      stillAsked: z.array(z.string()).meta({
        description: 'Tokens are asked for with these: the client has to ask for others first, or gets none.',
      }),
    })
    .nullable()
    .meta({ description: 'The smallest grant that covers what was used; null for an application.' }),
}).meta({ id: 'AccessUsage' });
const unusedView = view({
  id: z.string(),
  kind: z.enum(['machine', 'application']),
  status: z.enum(['active', 'disabled']),
  createdAt: dateTime.nullable(),
  lastUsedAt: dateTime.nullable().meta({ description: 'Its last token; null: none that anybody has seen.' }),
  scopes: z.array(z.string()),
}).meta({ id: 'UnusedClient' });
const administratorView = view({
  ...period,
  items: z.array(
    z.strictObject({
      kind: z.enum(['user', 'client', 'other']),
      id: z.string(),
      calls: z.number().int(),
      firstAt: dateTime,
      lastAt: dateTime,
    }),
  ),
}).meta({ id: 'AccessAdministrators' });
const compared = z.strictObject({
  caller: z.strictObject({ kind: z.enum(['user', 'client', 'other']), id: z.string() }),
  ...call,
});
const whatIfView = view({
  ...period,
  calls: z.number().int().meta({ description: 'So many calls were decided on once more.' }),
  loses: z.array(compared).meta({ description: 'Calls that were let through, and would be refused.' }),
  gains: z.array(compared).meta({ description: 'Calls that were refused, and would be let through.' }),
  unknown: z
    .array(compared)
    .meta({ description: 'Names that were not told apart: perhaps lost, perhaps not.' }),
  rejectedTokens: z
    .array(asked)
    .meta({ description: 'Tokens have asked for these scopes, and would be refused: nothing is dropped.' }),
  knowsMembers: z.literal(false).meta({
    description: 'What members refuse by themselves is not known, and not what other services take.',
  }),
}).meta({ id: 'WhatIf' });

export const usageOperations: readonly Operation<UsageNeeds>[] = [
  operation({
    id: 'readAccessUsage',
    method: 'GET',
    path: '/access/usage',
    summary: 'Compares what a client, a person or a role has with what was used of it.',
    access: 'inspect',
    isLong: true,
    query: z.strictObject({
      client: id.exactOptional(),
      user: id.exactOptional(),
      role: id.exactOptional(),
      days,
    }),
    answer: usageView,
    problems: [404],
    async run({ query, isBrief }, { usageAnswers }: UsageNeeds) {
      return { body: await usageAnswers.usageOf({ days: usualDays, ...query }, { isBrief }) };
    },
  }),
  operation({
    id: 'listUnusedClients',
    method: 'GET',
    path: '/access/unused',
    summary: 'Lists clients that have got no token for so many days, 90 by default.',
    access: 'inspect',
    query: listQuery({ days }),
    answer: listOf(unusedView),
    async run({ query }, { usageAnswers, cursors }: UsageNeeds) {
      const { limit = defaultItems, days: since = 90 } = query;
      const after = cursors.read('listUnusedClients', query);
      const { items, next } = await usageAnswers.unused({ days: since, limit, after });
      const cursor = next === undefined ? null : cursors.write('listUnusedClients', query, next);
      return { body: { items, next: cursor, count: null } };
    },
  }),
  operation({
    id: 'readAccessAdministrators',
    method: 'GET',
    path: '/access/administrators',
    summary: 'Says who called as an administrator by a token that had asked for no role.',
    access: 'inspect',
    isLong: true,
    query: z.strictObject({ days }),
    answer: administratorView,
    async run({ query: { days: since = usualDays } }, { usageAnswers }: UsageNeeds) {
      return { body: await usageAnswers.administrators(since) };
    },
  }),
  operation({
    id: 'askWhatIf',
    method: 'POST',
    path: '/access/what-if',
    summary: 'Says who would lose or gain which calls of the last days by a change of a role or client.',
    description: 'Changes nothing. The rules that decide on calls decide on them once more.',
    access: 'inspect',
    isLong: true,
    body: z
      .strictObject({
        role: id.exactOptional(),
        client: id.exactOptional(),
        change: z.strictObject({
          permissions: z.array(z.string().max(256)).max(100).exactOptional(),
          scopes: z.array(z.string().max(256)).max(200).exactOptional(),
        }),
        days: number.exactOptional(),
      })
      .meta({ example: { client: 'billing', change: { scopes: ['svc:map:orders:read'] }, days: 30 } }),
    answer: whatIfView,
    problems: [404, 409],
    async run({ body: { days: since = usualDays, ...change } }, { usageAnswers }: UsageNeeds) {
      return { body: await usageAnswers.whatIf({ days: since, ...change }) };
    },
  }),
];
