/** `/api/v1/access/explain` and `/api/v1/access/matrix`: why a call is refused, and who may call what. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { type AccessCheckDeps, checkAccess } from '../../operations/access-check.ts';
import type { Actor } from '../../operations/actor.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { type MuteNeeds, mutedView } from './muted-denials.ts';

/** Who would call: a user, a client, or somebody with these roles and scopes. */
export interface AskedCaller {
  readonly user?: string | undefined;
  readonly client?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** Errors are {@link ProblemError}s. */
export interface AccessAnswers {
  explainCall(method: string, path: string, asked: AskedCaller): Promise<object>;
  explainDecision(id: string): Promise<object>;
  matrix(asked: AskedCaller): Promise<object>;
}

export interface AccessNeeds extends Pick<MuteNeeds, 'muteAnswers'> {
  readonly accessAnswers: AccessAnswers;
  readonly roles: { permissionsOf: AccessCheckDeps['permissionsOf'] };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const text = z.string().max(8192);
const caller = {
  user: text.exactOptional().meta({ description: 'The name of a user.' }),
  client: text.exactOptional().meta({ description: 'The id of a client.' }),
  role: z
    .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(text).max(100))
    .exactOptional()
    .meta({ description: 'A role that the caller would have; may come several times.' }),
  scope: text.exactOptional().meta({ description: 'Scopes, with spaces between them.' }),
};
type CallerQuery = z.output<z.ZodObject<typeof caller>>;

const rule = z
  .looseObject({ methods: z.array(text), template: text, group: text })
  .meta({ id: 'AccessRule' });
const explanation = z
  .looseObject({
    isAllowed: z.boolean().optional(),
    decision: text.optional().meta({ description: '`forwarded`, or the code of the denial.' }),
    because: text.optional(),
    rule: rule.nullable().optional(),
    decisionId: text.optional().meta({ description: 'Of a call that was refused.' }),
    method: text,
    path: text,
    change: text
      .optional()
      .meta({ description: 'The smallest one that would let the call through, in words.' }),
    command: text.nullable().optional().meta({ description: 'The command line that makes this change.' }),
    missing: text.nullable().optional().meta({ description: 'The permission that was missing.' }),
    muted: mutedView
      .nullable()
      .optional()
      .meta({ description: 'Since when and until when no finding names denials of this caller and call.' }),
  })
  .meta({ id: 'AccessExplanation' });
const cell = z
  .looseObject({ outcome: z.enum(['allowed', 'partly', 'refused']) })
  .meta({ id: 'AccessMatrixCell' });
const matrix = z
  .strictObject({
    members: z.array(z.strictObject({ name: text, uuid: text.nullable(), isIn: z.boolean() })),
    subjects: z.array(z.strictObject({ name: text, roles: z.array(text), scopes: z.array(text) })),
    endpoints: z.array(
      z.strictObject({
        methods: z.array(text),
        path: text,
        group: text,
        permission: text,
        isLocal: z.boolean(),
        access: z.record(z.string(), cell),
      }),
    ),
  })
  .meta({ id: 'AccessMatrix' });

export const accessOperations: readonly Operation<AccessNeeds>[] = [
  operation({
    id: 'explainAccess',
    method: 'GET',
    path: '/access/explain',
    summary: 'Explains a denial by its decision id, or a call that has not happened.',
    description:
      'Give `decision`, or `method` and `path` and who would call. A Viewer who is signed in at the console asks for ' +
      'decisions alone.',
    access: 'observe',
    query: z.strictObject({
      decision: text.exactOptional(),
      method: z
        .string()
        .regex(/^[A-Za-z]{1,32}$/, 'this is not a method')
        .exactOptional(),
      path: text.exactOptional(),
      ...caller,
    }),
    answer: explanation,
    problems: [404],
    async run({ query, actor }, { accessAnswers, muteAnswers, roles, now }: AccessNeeds) {
      const { decision, method, path, user, client } = query;
      if (decision !== undefined) {
        if (Object.keys(query).length > 1) throw invalid('With decision there is no other parameter.');
        const explained = await accessAnswers.explainDecision(decision);
        return { body: { ...explained, muted: (await muteAnswers.of({ decision })) ?? null } };
      }
      checkInspects(actor, { roles, now });
      if (!method || !path) throw invalid('Give decision, or method and path and who would call.');
      const explained = await accessAnswers.explainCall(method.toUpperCase(), path, callerOf(query));
      const isOne = (user ?? client) !== undefined;
      const muted = isOne ? await muteAnswers.of({ user, client, method, path }) : undefined;
      return { body: { ...explained, muted: muted ?? null } };
    },
  }),
  operation({
    id: 'readAccessMatrix',
    method: 'GET',
    path: '/access/matrix',
    summary: 'Says for every endpoint what each role may do there, or one caller.',
    description: 'What one user or client may do is for administrators alone.',
    access: 'read',
    query: z.strictObject(caller),
    answer: matrix,
    problems: [404],
    async run({ query, actor }, { accessAnswers, roles, now }: AccessNeeds) {
      // Roles are no secret to a reader; who has which, and what a client may ask for, is.
      if (query.user !== undefined || query.client !== undefined) checkInspects(actor, { roles, now });
      return { body: await accessAnswers.matrix(callerOf(query)) };
    },
  }),
];

/** What somebody else may do is for who inspects. @throws {ProblemError} `insufficient_scope` */
function checkInspects(actor: Actor, { roles, now }: Pick<AccessNeeds, 'roles' | 'now'>): void {
  const asked = { object: 'access', access: 'inspect' } as const;
  checkAccess(asked, actor, { permissionsOf: roles.permissionsOf, now });
}

/** Scopes come as in a token request, separated by spaces. */
function callerOf({ user, client, role = [], scope = '' }: CallerQuery): AskedCaller {
  return { user, client, roles: role, scopes: scope.split(' ').filter(Boolean) };
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
