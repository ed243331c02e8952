/** What many operations have in common: header fields both ways, and the ways to prove who calls. */
import type { SuccessStatus } from '../operations/operation.ts';
import type { AnyOperation } from './described.ts';

const text = { type: 'string' as const };

/** Of requests: header fields, and a parameter of all changes. */
export const sharedParameters = {
  IfMatch: {
    name: 'If-Match',
    in: 'header' as const,
    description: 'The `ETag` of an answer: the change is made only while nothing has changed since.',
    schema: { ...text, pattern: '^(\\*|"[A-Za-z0-9_-]{1,64}")$', examples: ['*'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header' as const,
    description: '`*`: only when there is none yet.',
    schema: { ...text, enum: ['*'] },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header' as const,
    description:
      'Of your own choice: the same call with the same key is made once within 24 hours, and answered again as it was.',
    schema: { ...text, pattern: '^[!-~]{16,255}$', examples: ['0d6e9a4c-6a53-4d9c-9d0e-5a2b7a3d1f10'] },
  },
  TakeOver: {
    name: 'takeOver',
    in: 'query' as const,
    description: '`true`: changes what code owns, and ends that it does.',
    schema: { ...text, enum: ['true', 'false'] },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header' as const,
    description:
      '`wait=N`: up to so many seconds, 30 at most, the answer waits for the end of the job. What is not known is passed over (RFC 7240).',
    schema: { ...text, examples: ['wait=10'] },
  },
};

/** Header fields of answers. */
export const sharedHeaders = {
  ETag: { description: 'The version of what is shown, for `If-Match`.', schema: text },
  Location: { description: 'Where it is.', schema: { ...text, format: 'uri-reference' } },
  'Idempotency-Replayed': {
    description: '`true`: an earlier call with this `Idempotency-Key` was answered so.',
    schema: { ...text, enum: ['true'] },
  },
  'RateLimit-Policy': { description: 'How much a caller may ask.', schema: text },
  RateLimit: { description: 'How much of it is left.', schema: text },
  'Retry-After': { description: 'Seconds.', schema: { type: 'integer' as const, minimum: 0 } },
  'WWW-Authenticate': { description: 'What is wanted (RFC 6750 §3, RFC 9470 §3).', schema: text },
  'X-Request-Id': { description: 'Stands in the log too.', required: true, schema: text },
};

export const securitySchemes = {
  bearer: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An access token of this console for the resource `<CONSOLE_URL>/api`. Machines need the scope that stands at the operation, people the role.',
  },
  dpop: {
    type: 'http' as const,
    scheme: 'DPoP',
    description: 'The same, bound to a key whose proof comes in the field `DPoP` (RFC 9449).',
  },
};

export function parameterRefs(operation: AnyOperation): { readonly $ref: string }[] {
  const { event, params, method, isMaking, hasVersion } = operation;
  const names: (keyof typeof sharedParameters)[] = [
    ...(event !== undefined ? (['TakeOver'] as const) : []),
    ...(event !== undefined && params && hasVersion !== false ? (['IfMatch'] as const) : []),
    ...(method === 'PUT' ? (['IfNoneMatch'] as const) : []),
    ...(isMaking && method === 'POST' ? (['IdempotencyKey'] as const) : []),
    ...(operation.statuses?.includes(202) ? (['Prefer'] as const) : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

export function headerRefs({ params, isMaking }: AnyOperation, status: SuccessStatus) {
  const names: (keyof typeof sharedHeaders)[] = [
    'X-Request-Id',
    ...((params || isMaking) && status < 202 ? (['ETag'] as const) : []),
    ...(status === 201 || status === 202 ? (['Location'] as const) : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
