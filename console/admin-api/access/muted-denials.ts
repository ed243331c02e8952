/** `/api/v1/access/muted-denials`: denials that no finding names for some days. They are counted, logged and listed as before. */
import { z } from 'zod';
import { changesBetween } from '../../operations/changes.ts';
import { type Cursors, listOf, listQuery, pageOf } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';

/** A denial by its id, or a call and who makes it. */
interface AskedDenials {
  readonly decision?: string | undefined;
  readonly client?: string | undefined;
  readonly user?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
}

interface MutedView {
  readonly id: string;
  readonly caller: { readonly kind: 'client' | 'user'; readonly id: string };
  readonly permission: string;
  readonly structure: string | null;
  readonly names: readonly string[] | null;
  readonly mutedAt: string;
  readonly until: string;
  readonly by: { readonly kind: 'user' | 'client' | 'local'; readonly id: string };
}

export interface MuteNeeds {
  /** See console/usage/mute-answers.ts. Errors are {@link ProblemError}s. */
  readonly muteAnswers: {
    list(): Promise<readonly MutedView[]>;
    of(asked: AskedDenials): Promise<MutedView | undefined>;
    mute(
      asked: AskedDenials,
      days: number,
      by: { readonly kind: 'user' | 'client' | 'local'; readonly id: string },
    ): Promise<{ readonly before: MutedView | undefined; readonly after: MutedView }>;
    unmute(id: string): Promise<MutedView>;
  };
  readonly cursors: Cursors;
}

const usualDays = 7;
const text = z.string().min(1).max(8192);
const caller = z.strictObject({ kind: z.enum(['client', 'user']), id: z.string() });
export const mutedView = view({
  id: z.string().meta({ example: 'Yk3nQ0aBz7Wm1dPfX9uLsg' }),
  caller,
  permission: z.string().meta({ description: 'What the call needs.', example: 'svc:data:write' }),
  structure: z.string().nullable().meta({ example: 'map:write' }),
  names: z.array(z.string()).nullable().meta({
    description: 'Of the map or queue, as each member reads it; null where names are not told apart.',
  }),
  mutedAt: dateTime,
  until: dateTime,
  by: z.strictObject({ kind: z.enum(['user', 'client', 'local']), id: z.string() }),
}).meta({ id: 'MutedDenials' });
const asked = z
  .strictObject({
    decision: z.string().max(64).exactOptional().meta({ description: 'The id of a denial.' }),
    client: z.string().min(1).max(256).exactOptional(),
    user: z.string().min(1).max(256).exactOptional(),
    method: z
      .string()
      .regex(/^[A-Za-z]{1,32}$/, 'this is not a method')
      .exactOptional(),
    path: text.exactOptional(),
    days: z.number().int().min(1).max(90).exactOptional().meta({ description: 'By default 7.' }),
  })
  .refine(isOneQuestion, 'give decision, or one of client and user with method and path')
  .meta({ example: { client: 'application-client', method: 'POST', path: '/svc/rest/maps/orders/7' } });

function isOneQuestion({ decision, client, user, method, path }: AskedDenials): boolean {
  const ofCall = [client ?? user, method, path];
  if (decision !== undefined) return [...ofCall, user].every((one) => one === undefined);
  return ofCall.every((one) => one !== undefined) && (client === undefined || user === undefined);
}

export const mutedDenialOperations: readonly Operation<MuteNeeds>[] = [
  operation({
    id: 'listMutedDenials',
    method: 'GET',
    path: '/access/muted-denials',
    summary: 'Lists the denials that are muted, each by who calls and what the call needs.',
    access: 'inspect',
    query: listQuery({}),
    answer: listOf(mutedView),
    async run({ query }, { muteAnswers, cursors }: MuteNeeds) {
      return { body: pageOf('listMutedDenials', await muteAnswers.list(), query, cursors) };
    },
  }),
  operation({
    id: 'muteDenials',
    method: 'POST',
    path: '/access/muted-denials',
    summary: 'Keeps denials of one caller and call out of all findings for some days.',
    description:
      'Give `decision`, or `client` or `user` with `method` and `path`. They are counted, logged and listed as before. What is muted already is so for as long from now.',
    access: 'write',
    event: 'denials.muted',
    hasVersion: false,
    body: asked,
    answer: mutedView,
    problems: [404, 409],
    async run({ body: { days = usualDays, ...denials }, actor: { kind, id } }, { muteAnswers }: MuteNeeds) {
      const { before, after } = await muteAnswers.mute(denials, days, { kind, id });
      return {
        body: after,
        target: after.id,
        changes: changesBetween(before && { ...before }, { ...after }),
      };
    },
  }),
  operation({
    id: 'unmuteDenials',
    method: 'DELETE',
    path: '/access/muted-denials/{denials}',
    summary: 'Lets findings name them again.',
    access: 'write',
    event: 'denials.unmuted',
    hasVersion: false,
    params: z.strictObject({ denials: z.string().regex(/^[\w-]{22}$/) }),
    async run({ params: { denials } }, { muteAnswers }: MuteNeeds) {
      const before = await muteAnswers.unmute(denials);
      return { target: denials, changes: changesBetween({ ...before }, undefined) };
    },
  }),
];
