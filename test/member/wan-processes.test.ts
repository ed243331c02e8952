import { expect, test } from 'vitest';
import { addressIn, startProcess, writeConfig } from './member-process.ts';
import { call, eventually } from './support.ts';

const rest =
  'rest-api: { enabled: true, endpoint-groups: { DATA: { enabled: true }, WAN: { enabled: true } } }';

const targetFile = `svc:
  cluster-name: london
  network: { ${rest} }
`;

function sourceFile(targetPort: string): string {
  return `svc:
  network: { ${rest} }
  wan-replication:
    atlantic:
      batch-publisher:
        london:
          cluster-name: london
          target-endpoints: 127.0.0.1:${targetPort}
          batch-size: 50
          batch-max-delay-millis: 10
          response-timeout-millis: 5000
          sync: { consistency-check-strategy: MERKLE_TREES }
  map:
    orders: { wan-replication-ref: { atlantic: {} }, merkle-tree: { enabled: true } }
`;
}

const entries = 300;

async function startMember(file: string, port = '0') {
  const { ready, stop } = await startProcess({ MEMBER_PORT: port, MEMBER_CONFIG: writeConfig(file) });
  const address = addressIn(ready);
  const at = (key: number | string) => `${address}/svc/rest/maps/orders/${key}`;
  return {
    port: new URL(address).port,
    stop,
    put: async (key: number, value: string) => {
      expect((await call(at(key), 'POST', { body: value })).status).toBe(200);
    },
    read: async (key: number) => (await call(at(key), 'GET')).body,
    wan: async (path: string) => {
      const body = 'dev&&atlantic&london&orders';
      const reply = await call(`${address}/svc/rest/wan/${path}`, 'POST', { body });
      const { uuid } = JSON.parse(reply.body) as { uuid: string };
      const progress = () => call(`${address}/svc/rest/wan/sync/progress/${uuid}`, 'GET');
      const last = await eventually(progress, ({ body: text }) => /FINISHED|FAILED/.test(text));
      return (JSON.parse(last.body) as { result: { stage: string } }).result.stage;
    },
  };
}

type MemberProcess = Awaited<ReturnType<typeof startMember>>;

/** Ends when `member` has the value of each key from `from` on. */
async function hasAll(member: MemberProcess, from: number, expected: (key: number) => string): Promise<void> {
  for (let key = from; key < entries; key += 1) {
    await eventually(
      () => member.read(key),
      (value) => value === expected(key),
    );
  }
}

test('a target that is killed and started again gets what it missed, and a check finds what it lost', async () => {
  const first = await startMember(targetFile);
  const source = await startMember(sourceFile(first.port));
  for (let key = 0; key < 100; key += 1) await source.put(key, `v${key}`);
  await eventually(
    () => first.read(99),
    (value) => value === 'v99',
  );
  await first.stop('SIGKILL');
  for (let key = 100; key < entries; key += 1) await source.put(key, `v${key}`);

  const again = await startMember(targetFile, first.port);
  await hasAll(again, 100, (key) => `v${key}`);
  expect(await again.read(5), 'kept in memory only').toBe('');
  expect(await source.wan('consistencyCheck/map')).toBe('FINISHED');
  expect(await source.wan('sync/map')).toBe('FINISHED');
  await hasAll(again, 0, (key) => `v${key}`);
});

test('a source that is told to stop sends what it has queued first', async () => {
  const target = await startMember(targetFile);
  const source = await startMember(
    sourceFile(target.port).replace('delay-millis: 10', 'delay-millis: 60000'),
  );
  for (let key = 0; key < 20; key += 1) await source.put(key, 'last words');
  expect(await source.stop('SIGTERM')).toBe(0);
  expect(await target.read(19)).toBe('last words');
});
