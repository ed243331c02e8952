/** `…/call`: one reading call to the members as a client would make it, decided as for its token; no token is given out. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import type { AccessAnswers } from '../access/access-questions.ts';
import { type ClusterNeeds, memberProblems, shown, shownFields } from '../cluster/member-calls.ts';
import { type ClientNeeds, type ClientParams, findClient } from './client-needs.ts';

export interface CallNeeds extends Pick<ClientNeeds, 'clients'>, ClusterNeeds {
  readonly accessAnswers: Pick<AccessAnswers, 'explainCall'>;
}

/** What it takes at most of an answer. */
const mostBytes = 65_536;
/** What reads and takes nothing away: a poll of a queue does. */
const reading = /:(?:read|size)$/;

interface Explained {
  readonly isAllowed: boolean;
  readonly because: string;
  readonly rule: { readonly permission: string } | null;
}

export const callAsClient = (params: z.ZodType<ClientParams>) =>
  operation({
    id: 'callAsClient',
    method: 'POST',
    path: '/clients/{client}/call',
    summary: 'Makes one reading call to the members as a client would, and shows what comes of it.',
    description:
      'It is decided by the scopes of the client, as for a token with all of them, and made by the console: no token is given out. Takes what may be granted to the client, since it reads what the client may read.',
    access: 'inspect',
    readEvent: 'client.tried',
    params,
    body: z.strictObject({
      path: z
        .string()
        .max(2048)
        .regex(/^\/svc\/[\x21-\x7e]+$/, 'this is no address of the members')
        .meta({ description: 'As it stands in the call.', example: '/svc/rest/maps/orders/a1' }),
    }),
    answer: view({
      isAllowed: z.boolean(),
      because: z.string(),
      reply: view({
        status: z.number().int(),
        member: z.string().meta({ description: 'Which has answered.' }),
        durationMs: z.number(),
        ...shownFields,
      })
        .nullable()
        .meta({ description: 'Null where the call was not made.' }),
    }).meta({ id: 'ClientCall' }),
    problems: memberProblems,
    async run({ params: { client: id }, body: { path }, checkMayGrant, isDryRun }, needs: CallNeeds) {
      const client = await findClient(id, undefined, needs);
      checkMayGrant({ scopes: client.scopes });
      if (client.disabled)
        return answerOf(id, path, { isAllowed: false, because: 'The client is disabled.' });
      const explained = (await needs.accessAnswers.explainCall('GET', path, { client: id })) as Explained;
      const { isAllowed, because, rule } = explained;
      if (!isAllowed || isDryRun) return answerOf(id, path, { isAllowed, because });
      if (!reading.test(rule?.permission ?? '')) {
        throw new ProblemError(problems.invalidRequest, 'Only calls that read are made here.', {
          members: {
            errors: [{ pointer: '#/path', code: 'invalid_value', detail: 'This call does more than read' }],
          },
        });
      }
      const began = performance.now();
      const reply = await needs.askMember({ method: 'GET', path: path.slice('/svc'.length), mostBytes });
      const durationMs = Math.round((performance.now() - began) * 10) / 10;
      const { status, member } = reply;
      return answerOf(id, path, { isAllowed, because }, { status, member, durationMs, ...shown(reply) });
    },
  });

interface Verdict {
  readonly isAllowed: boolean;
  readonly because: string;
}

function answerOf(target: string, path: string, verdict: Verdict, reply: object | null = null) {
  return { target, asked: { path, isAllowed: verdict.isAllowed }, body: { ...verdict, reply } };
}
