/** What can go wrong with an operation: one response for each status, the same form for all (RFC 9457). */
import { problems } from '../../platform/errors.ts';
import type { AnyOperation } from './described.ts';

/** Codes that an administrator's program never meets. */
const ofOthers = new Set(['login_failed', 'reply_stalled']);
const codes = grouped();

/** The schemas of problem details, and of what a change would have been. */
export const commonSchemas = {
  DryRun: {
    type: 'object' as const,
    description: 'What a change with `?dryRun=true` would have been answered.',
    required: ['status', 'result', 'warnings'],
    properties: {
      status: { type: 'integer' as const },
      result: { description: 'The body; null where there is none.' },
      warnings: { type: 'array' as const, items: { type: 'string' as const } },
    },
  },
  Problem: {
    type: 'object' as const,
    description:
      'What was wrong (RFC 9457). `code` is for programs, `detail` for people. Members may be added: pass over what you do not know.',
    required: ['type', 'title', 'status', 'detail', 'code'],
    properties: {
      type: { type: 'string' as const, description: '`urn:cluster-console:problem:` and the code.' },
      title: { type: 'string' as const },
      status: { type: 'integer' as const },
      detail: { type: 'string' as const, description: 'One sentence; repeats no value that was sent.' },
      code: { type: 'string' as const, description: 'Of docs/errors.md; more may be added.' },
      request_id: { type: 'string' as const, description: 'Also in `X-Request-Id`, and in the log.' },
      errors: {
        type: 'array' as const,
        description: 'Each member of the input that is wrong.',
        items: { $ref: '#/components/schemas/InputError' },
      },
      current: { type: 'string' as const, description: 'With 412: the `ETag` of now.' },
    },
  },
  InputError: {
    type: 'object' as const,
    required: ['pointer', 'code', 'detail'],
    properties: {
      pointer: {
        type: 'string' as const,
        description: 'Where: in the body after `#` (RFC 6901), or `?` and the name of a parameter.',
      },
      code: { type: 'string' as const },
      detail: { type: 'string' as const },
    },
  },
};

const titles: Readonly<Record<number, string>> = {
  400: 'What was sent is not as it should be.',
  401: 'Without a token that counts here; with `insufficient_user_authentication`, with too old a sign-in (RFC 9470).',
  403: 'The caller may not do this.',
  404: 'There is nothing at this address, or nothing that the caller may know of.',
  409: 'It collides with what is there.',
  412: 'It has changed meanwhile; `current` is its `ETag` of now.',
  413: 'The body is too large.',
  414: 'The address is too long.',
  422: 'It is well formed, and cannot be done.',
  429: 'Too many calls of one caller.',
  500: 'Something went wrong here; the log has the request id.',
  502: 'A member does not answer as it should.',
  503: 'Not now: try again later.',
  504: 'A member does not answer in time.',
};

export const problemResponses = Object.fromEntries(
  Object.entries(titles).map(([status, title]) => [
    `Problem${status}`,
    {
      description: [title, ...(codes.get(Number(status)) ?? []).map((code) => `\`${code}\``)].join(' '),
      headers: headersOf(Number(status)),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]),
);

/** Every status that the operation can be refused with. */
export function problemRefs(operation: AnyOperation): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(
    statusesOfProblems(operation).map((status) => [
      `${status}`,
      { $ref: `#/components/responses/Problem${status}` },
    ]),
  );
}

function statusesOfProblems(operation: AnyOperation): number[] {
  const { params, query, body, event, isMaking, problems: own = [] } = operation;
  const statuses = [
    ...[400, 401, 403, 429, 500, 503],
    ...(params ? [404] : []),
    ...(query ? [414] : []),
    ...(body ? [413] : []),
    ...(event === undefined ? [] : [409, 412]),
    ...(isMaking ? [422] : []),
    ...own,
  ];
  return [...new Set(statuses)].sort((one, other) => one - other);
}

function headersOf(status: number): Record<string, { readonly $ref: string }> {
  const names = [
    'X-Request-Id',
    ...(status === 401 || status === 403 ? ['WWW-Authenticate'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function grouped(): ReadonlyMap<number, readonly string[]> {
  const byStatus = new Map<number, string[]>();
  for (const { status, code } of Object.values(problems)) {
    if (!ofOthers.has(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}
