/** Bad input that follows from the table of operations: what each of them must refuse, whatever it is about. */
import type { z } from 'zod';
import type { AnyOperation } from '../../console/description/described.ts';
import { exampleOf } from '../../console/description/examples.ts';

/** Stands in everything that is sent, and in no answer. */
export const canary = 'marmot-7f3a';

export type Caller =
  | 'admin'
  | 'nobody'
  | 'ofMembers'
  | 'viewer'
  | 'metricsViewer'
  | 'otherScope'
  /** A machine that may read all, and change nothing. */
  | 'reader'
  /** A machine that may change roles and users, and has nothing at the members. */
  | 'changer';

export interface BadCall {
  readonly column: string;
  readonly as: Caller;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code: string;
  /** One of the pointers that the answer names. */
  readonly pointer?: string;
  /** As good. */
  readonly or?: number;
}

export function badCalls(operation: AnyOperation): readonly BadCall[] {
  return [...callers(operation), ...heads(operation), ...addresses(operation), ...bodies(operation)];
}

/** What comes before all else: who calls. */
function callers({ access }: AnyOperation): BadCall[] {
  const refused = { status: 403, code: 'insufficient_scope' };
  return [
    { column: 'no credentials', as: 'nobody', status: 401, code: 'unauthorized' },
    { column: 'a token for the members', as: 'ofMembers', status: 401, code: 'invalid_token' },
    ...(['own', 'metrics', 'read'].includes(access)
      ? []
      : [{ column: 'the role Viewer', as: 'viewer' as const, ...refused }]),
    ...(access === 'own'
      ? []
      : [
          ...(access === 'metrics'
            ? []
            : [{ column: 'the role MetricsViewer', as: 'metricsViewer' as const, ...refused }]),
          { column: 'a scope of another object, and no role', as: 'otherScope' as const, ...refused },
        ]),
    ...(access === 'write' ? [{ column: 'a scope to read alone', as: 'reader' as const, ...refused }] : []),
  ];
}

function heads({ query, params, event }: AnyOperation): BadCall[] {
  const invalid = { as: 'admin' as const, status: 400, code: 'invalid_request' };
  return [
    { column: 'a parameter that is not known', query: `?${canary}=${canary}`, ...invalid },
    { column: 'an If-Match that is no tag', headers: { 'If-Match': canary }, ...invalid },
    { column: 'an If-None-Match of a tag', headers: { 'If-None-Match': `"${canary}"` }, ...invalid },
    ...(hasMember(query, 'limit') ? limits.map((text) => ({ ...invalid, ...text })) : []),
    ...(hasMember(query, 'cursor')
      ? [
          {
            column: 'a cursor of their own',
            as: 'admin' as const,
            query: `?cursor=${canary}`,
            status: 400,
            code: 'invalid_cursor',
          },
        ]
      : []),
    ...(params && event !== undefined
      ? [{ ...invalid, column: 'two tags in If-Match', headers: { 'If-Match': `"${canary}", "b"` } }]
      : []),
  ];
}

const limits = ['0', '501', '1e9', '-1', canary, ''].map((limit) => ({
  column: `a limit of ${limit === canary ? 'letters' : limit || 'nothing'}`,
  query: `?limit=${limit}`,
  pointer: '?limit',
}));

/** What does not look like an id is the id of nothing. */
function addresses({ method, params, body }: AnyOperation): BadCall[] {
  const names = Object.keys((params as z.ZodObject | undefined)?.shape ?? {});
  return names.flatMap((name) =>
    ['..%2f..%2fetc', '%00', '%E0%A4%A', '%22%3E%3Cscript%3E', 'x'.repeat(2000), '%20'].map((value) => ({
      column: `${value.slice(0, 20)} as ${name}`,
      as: 'admin' as const,
      params: { [name]: value },
      // Who puts something chooses its id.
      ...(method === 'PUT' && { or: 400 }),
      ...(body && { body: exampleOf(body) }),
      status: 404,
      code: 'not_found',
    })),
  );
}

function bodies({ body, mediaType, bodyLimit = 1024 * 1024 }: AnyOperation): BadCall[] {
  if (!body || mediaType !== undefined) return [];
  const good = exampleOf(body);
  if (typeof good !== 'object' || good === null) return [];
  const invalid = { as: 'admin' as const, status: 400, code: 'invalid_request' };
  return [
    { column: 'a body that is no JSON', body: `{"${canary}`, ...invalid },
    { column: 'a body that is a list', body: [canary], pointer: '#', ...invalid },
    { column: 'a body that is a text', body: `"${canary}"`, pointer: '#', ...invalid },
    { column: 'a member that is not known', body: { ...good, [canary]: canary }, ...invalid },
    { column: '__proto__ as a member', body: `{"__proto__":{"${canary}":1}}`, ...invalid },
    {
      column: 'another form than JSON',
      body: `a=${canary}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      ...invalid,
    },
    {
      column: 'more than there may be',
      as: 'admin',
      body: { ...good, [canary]: canary.repeat(bodyLimit / canary.length + 1) },
      status: 413,
      code: 'content_too_large',
    },
    ...wrongTypes(body, good).map((row) => ({ ...row, ...invalid })),
  ];
}

/** Each member with a value that its schema does not take. */
function wrongTypes(body: z.ZodType, good: object) {
  const { shape = {} } = body as Partial<z.ZodObject>;
  const candidates = [{ [canary]: canary }, [{ [canary]: canary }], canary.repeat(9000), 7.5];
  return Object.entries(shape as Record<string, z.ZodType>).flatMap(([name, schema]) => {
    const wrong = candidates.find((value) => !schema.safeParse(value).success);
    if (wrong === undefined) return [];
    const whole = { ...good, [name]: wrong };
    return [{ column: `another type of ${name}`, body: whole, pointer: `#/${name}` }];
  });
}

function hasMember(schema: z.ZodType | undefined, name: string): boolean {
  return name in ((schema as Partial<z.ZodObject> | undefined)?.shape ?? {});
}

/** An id of the form that the path wants. */
export function exampleParams({ params }: AnyOperation): Readonly<Record<string, string>> {
  const { shape = {} } = (params ?? {}) as Partial<z.ZodObject>;
  return Object.fromEntries(
    Object.entries(shape as Record<string, z.ZodType>).map(([name, schema]) => [
      name,
      String(exampleOf(schema) ?? 'nobody'),
    ]),
  );
}
