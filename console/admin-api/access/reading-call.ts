/** One reading call to the members in somebody's name: decided as for a token of theirs, and made by the console. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { view } from '../../operations/resource-fields.ts';
import { type ClusterNeeds, shown, shownFields } from '../cluster/member-calls.ts';
import type { AccessAnswers, AskedCaller } from './access-questions.ts';

export interface ReadingCallNeeds extends ClusterNeeds {
  readonly accessAnswers: Pick<AccessAnswers, 'explainCall'>;
}

export interface ReadingVerdict {
  readonly isAllowed: boolean;
  readonly because: string;
}

interface Explained extends ReadingVerdict {
  readonly rule: { readonly permission: string } | null;
}

/** What it takes at most of an answer. */
const mostBytes = 65_536;
/** What reads and takes nothing away: a poll of a queue does. */
const reading = /:(?:read|size)$/;

export const readingCallBody = z.strictObject({
  path: z
    .string()
    .max(2048)
    .regex(/^\/svc\/[\x21-\x7e]+$/, 'this is no address of the members')
    .meta({ description: 'As it stands in the call.', example: '/svc/rest/maps/orders/a1' }),
});

export const readingCallFields = {
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
};

/**
 * @param caller    as whom it is decided
 * @param isDryRun  it is decided alone
 * @throws {ProblemError} `invalid_request` for a call that does more than read; as members are asked
 */
export async function makeReadingCall(
  path: string,
  caller: AskedCaller,
  { accessAnswers, askMember }: ReadingCallNeeds,
  isDryRun: boolean,
) {
  const explained = (await accessAnswers.explainCall('GET', path, caller)) as Explained;
  const { isAllowed, because, rule } = explained;
  if (!isAllowed || isDryRun) return notMade({ isAllowed, because });
  if (!reading.test(rule?.permission ?? '')) {
    throw new ProblemError(problems.invalidRequest, 'Only calls that read are made here.', {
      members: {
        errors: [{ pointer: '#/path', code: 'invalid_value', detail: 'This call does more than read' }],
      },
    });
  }
  const began = performance.now();
  const reply = await askMember({ method: 'GET', path: path.slice('/svc'.length), mostBytes });
  const durationMs = Math.round((performance.now() - began) * 10) / 10;
  const { status, member } = reply;
  return { isAllowed, because, reply: { status, member, durationMs, ...shown(reply) } };
}

export function notMade(verdict: ReadingVerdict) {
  return { ...verdict, reply: null };
}
