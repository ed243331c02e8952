import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadMemberConfig } from '../../member/config/load.ts';
import type { ManagementEndpoint } from '../../member/management/management-route.ts';
import type { Route } from '../../member/router.ts';
import { createRoutes, type RoutesDeps } from '../../member/routes.ts';
import { writeConfig } from './member-process.ts';
import { call, type Reply, startTestMember } from './support.ts';

const file = new URL('../../docs/member-openapi.yaml', import.meta.url);
const description = parse(readFileSync(file, 'utf8')) as Description;

interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly parameters: Record<string, Parameter>;
    readonly responses: Record<string, Response>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly example: string }> };
  readonly responses: Record<string, Response & { readonly $ref?: string }>;
}

interface Response {
  readonly content?: Record<string, { readonly schema: unknown }>;
}

interface Parameter {
  readonly name: string;
  readonly example?: string | number;
}

const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    operation,
  })),
);

const ajv = new Ajv2020({ strict: false, validateFormats: false });
beforeAll(() => {
  ajv.addSchema(description, 'member');
});

describe('docs/member-openapi.yaml', () => {
  test('is a valid OpenAPI 3.1 description', async () => {
    const validator = new Validator();
    const outcome = await validator.validate(parse(readFileSync(file, 'utf8')));
    expect(outcome.errors ?? []).toEqual([]);
    expect(outcome.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('has every endpoint of the member in its group, and no other', () => {
    const routes = createRoutes(deps)
      .filter(({ method, template }) => method !== 'HEAD' && !isLeftOut(method, template))
      .map(({ method, template, group }) => `${method} ${shape(`/svc/${template}`)} ${[group].flat()[0]}`);
    const described = operations.map(
      ({ method, path, operation }) => `${method} ${shape(path)} ${operation.tags[0]}`,
    );
    expect(described.sort()).toEqual([...new Set(routes)].sort());
  });
});

const rest = (groups: readonly string[]) => `svc:
  network:
    rest-api: { enabled: true, endpoint-groups: { ${groups.map((group) => `${group}: { enabled: true }`).join(', ')} } }
    join: { tcp-ip: { enabled: true, member-list: [127.0.0.1] } }
  license-key: Dev#4Nodes#a1B2c3D4e5F6g7H8
  cp-subsystem: { cp-member-count: 1 }
  wan-replication:
    atlantic:
      batch-publisher:
${['london', 'paris', 'rome'].map((name) => `        ${name}: { target-endpoints: "127.0.0.1:1", sync: { consistency-check-strategy: MERKLE_TREES } }`).join('\n')}
  map:
    default: {}
    orders: { wan-replication-ref: { atlantic: {} }, merkle-tree: { enabled: true } }
`;
const allGroups = ['DATA', 'CLUSTER_WRITE', 'PERSISTENCE', 'WAN', 'CP'];
const log = pino({ level: 'silent' }, { write() {} });

/** A member with every group on, and a file that can be read again. */
async function startDescribed() {
  const text = rest(allGroups);
  return startTestMember(text, { log, config: loadMemberConfig(text, { file: writeConfig(text) }) });
}

describe.each(operations)('$name', ({ method, path, operation }) => {
  test('answers its example as described', async () => {
    const { address } = await startDescribed();
    const uuid = path.includes('{uuid}') ? await startOperation(address) : '';
    const reply = await call(address + filled(path, operation, uuid), method, bodyOf(operation));
    expectDescribed(operation, reply);
    expect(reply.status, reply.body).toBeLessThan(500);
  });

  test('is refused as described while its group is off', async () => {
    const { address } = await startTestMember(
      'svc: { network: { rest-api: { enabled: true, endpoint-groups: { CLUSTER_READ: { enabled: false }, HEALTH_CHECK: { enabled: false } } } } }',
    );
    const reply = await call(address + filled(path, operation, anyUuid), method, bodyOf(operation));
    expect(reply).toMatchObject({ status: 403, body: '' });
    expect(operation.responses).toHaveProperty('403');
  });
});

test.each(operations.filter(({ operation }) => hasPositionalFields(operation)))(
  '$name refuses a wrong cluster name and too few positions as described',
  async ({ method, path, operation }) => {
    const { address } = await startDescribed();
    const url = address + filled(path, operation, anyUuid);
    const stranger = await call(url, method, { body: bodyOf(operation).body!.replace('dev', 'other') });
    expect(stranger.status).toBe(403);
    expectDescribed(operation, stranger);
    const short = await call(url, method, { body: 'dev' });
    expect(short.status).toBe(400);
    expectDescribed(operation, short);
  },
);

function expectDescribed(operation: Operation, reply: Reply): void {
  const described = resolved(operation.responses[reply.status]);
  expect(described, `${operation.operationId} answers ${reply.status}: ${reply.body}`).toBeDefined();
  if (reply.body === '') return;
  const [type] = (reply.type ?? '*/*').split(';');
  const content = described!.content?.[type!] ?? described!.content?.['*/*'];
  expect(content, `${operation.operationId} answers ${type}`).toBeDefined();
  if (type !== 'application/json') return;
  const ref = (content!.schema as { $ref: string }).$ref;
  const isValid = ajv.validate({ $ref: `member${ref}` }, JSON.parse(reply.body));
  expect(isValid, `${reply.body}: ${ajv.errorsText()}`).toBe(true);
}

function resolved(response: (Response & { readonly $ref?: string }) | undefined): Response | undefined {
  if (response?.$ref === undefined) return response;
  return description.components.responses[response.$ref.split('/').at(-1)!];
}

function filled(path: string, { parameters = [] }: Operation, uuid: string): string {
  return parameters.reduce((text, { $ref }) => {
    const { name, example } = description.components.parameters[$ref.split('/').at(-1)!]!;
    return text.replace(`{${name}}`, String(example ?? uuid));
  }, path);
}

function bodyOf({ requestBody }: Operation): { body?: string } {
  const example = Object.values(requestBody?.content ?? {})[0]?.example;
  return example === undefined ? {} : { body: example };
}

function hasPositionalFields({ requestBody }: Operation): boolean {
  return requestBody?.content['text/plain'] !== undefined;
}

async function startOperation(address: string): Promise<string> {
  const reply = await call(`${address}/svc/rest/wan/sync/map`, 'POST', {
    body: 'dev&&atlantic&london&orders',
  });
  return (JSON.parse(reply.body) as { uuid: string }).uuid;
}

const anyUuid = '4dbd5b2e-6a2f-4d41-9a0d-1b6a3b0a8a11';

/** A path with its names left out. */
function shape(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}');
}

/** Paths that end too early and only refuse, other spellings, and what members of this product call. */
function isLeftOut(method: string, template: string): boolean {
  return template.endsWith('/') || template.includes('replication/') || leftOut.has(`${method} ${template}`);
}

const leftOut = new Set([
  ...['GET rest/maps', 'POST rest/maps', 'DELETE rest/maps', 'GET rest/maps/{map}', 'POST rest/maps/{map}'],
  ...[
    'GET rest/queues/{queue}',
    'DELETE rest/queues/{queue}',
    'GET rest/queues',
    'POST rest/queues',
    'DELETE rest/queues',
    'GET health/{probe...}',
  ],
]);

/** Stands for whatever a route is made of: routes are made here and never called. */
const anything: unknown = new Proxy(function stand() {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything,
});

const deps = new Proxy({} as RoutesDeps, {
  get: (_, name) => (name === 'managementRoute' ? managementRoute : anything),
});

function managementRoute(endpoint: ManagementEndpoint): Route {
  return { method: 'POST', ...endpoint, handler() {} };
}
