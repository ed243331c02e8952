/** What is asked of members, and what their answers mean to an administrator. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { jsonObject } from '../../../platform/json.ts';
import type { AskMember, MemberReply } from '../../../platform/member-call.ts';

export interface ClusterNeeds {
  readonly askMember: AskMember;
}

/** What any operation that asks a member may come to besides. */
export const memberProblems = [409, 413, 502, 504] as const;

/** Of what is shown; more is asked below `/svc`. */
export const mostShownBytes = 1024 * 1024;

/** What stands in a path at a member, each part encoded. */
export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
}

/** @throws {ProblemError} `member_rejected` for what is no success, with the reason that the member gives */
export function checkDone(reply: MemberReply): MemberReply {
  if (reply.status < 300) return reply;
  throw rejection(reply);
}

/** @throws {ProblemError} `member_rejected`; `bad_gateway` for what is no JSON object */
export function objectIn(reply: MemberReply): Readonly<Record<string, unknown>> {
  const found = jsonObject(checkDone(reply).bytes.toString('utf8'));
  if (found) return found;
  throw new ProblemError(
    problems.badGateway,
    `The member ${reply.member} answers in a form that is not known.`,
  );
}

export function rejection({ status, bytes, member }: MemberReply): ProblemError {
  const { message } = jsonObject(bytes.toString('utf8')) ?? {};
  if (message === 'unauthenticated') {
    return new ProblemError(
      problems.memberRejected,
      `The member ${member} does not take the credentials of the console: see CONSOLE_MEMBER_USERNAME.`,
    );
  }
  const why = typeof message === 'string' && message !== '' ? `: ${message.slice(0, mostReason)}` : '';
  return new ProblemError(problems.memberRejected, `The member ${member} answers ${status}${why}`, {
    members: { member, memberStatus: status },
  });
}

const mostReason = 500;

/** What can be given to members as a value: base64, or text. */
export const storedFields = {
  value: z
    .string()
    .max(Math.ceil(mostShownBytes / 3) * 4)
    .regex(
      /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/,
      'it is base64: letters from A to Z, digits, + and /, with = at its end',
    )
    .meta({ description: 'The bytes, in base64.', example: 'eyJ0b3RhbCI6M30=' }),
  type: z
    .string()
    .max(200)
    .regex(
      /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/,
      'it is a media type such as application/json, in letters without accents',
    )
    .nullable()
    .exactOptional()
    .meta({ description: 'Media type that is kept with it.', example: 'application/json' }),
};

/** What a member has kept. */
export const shownFields = {
  type: z.string().nullable().meta({ description: 'Media type that was stored with it.' }),
  bytes: z.number().int(),
  value: z.string().meta({ description: 'In base64.' }),
};

export function shown({ type, bytes }: Pick<MemberReply, 'type' | 'bytes'>) {
  return { type: type ?? null, bytes: bytes.length, value: bytes.toString('base64') };
}

export function storable(given: { readonly value: string; readonly type?: string | null }) {
  return { bytes: Buffer.from(given.value, 'base64'), type: given.type ?? undefined };
}

/** `host:port`, or its UUID. */
export const memberName = z
  .string()
  .regex(/^[\w.:[\]-]{1,261}$/, 'it is a host and a port, such as 10.0.0.1:5701, or the UUID of the member')
  .meta({ description: '`host:port`, or the UUID of the member.', example: '10.0.0.1:5701' });

/** No character that a page or a path could take for its own. */
export const structureName = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[^\s"<>\\/\p{Cc}]{1,200}$/u,
    'it has 1 to 200 characters, none of them a space, a quotation mark, < > / or a backslash, and is not . or .. alone',
  )
  .meta({ description: 'Its name, which members take as it is.', example: 'orders' });

/** Of what hits the whole cluster, or all of a member: why, in its entry of the audit. */
export const reasonQuery = z.strictObject({
  reason: z
    .string()
    .min(3)
    .max(500)
    .exactOptional()
    .meta({ description: 'Why it is done, for the audit.', example: 'move to another rack' }),
});
