/** Names that all objects have in common, as names, keys and values of everything that a caller can send (S90). */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { startDashboard } from '../dashboard/support.ts';
import { addressIn, endOf, startProcess, writeConfig } from './member-process.ts';
import { call, empty, eventually } from './support.ts';

const names = ['__proto__', 'constructor', 'prototype'] as const;
/** Says on standard output what the process makes of the names, when it is asked. */
const spy = `process.on("SIGUSR2",()=>process.stdout.write("proto:"+("__proto__" in {})+({}).polluted+Object.polluted+"\\n"))`;
const spied = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(spy)}"` };
const untouched = 'proto:falseundefinedundefined\n';

const groups = ['DATA', 'CLUSTER_WRITE', 'WAN', 'CP'].map((group) => `${group}: { enabled: true }`);
const file = `svc:
  network: { rest-api: { enabled: true, endpoint-groups: { ${groups.join(', ')} } } }
  cp-subsystem: { cp-member-count: 1 }
`;

/** A member with REST on; `isUntouched` asks its process whether anything of what all objects share has changed. */
async function start(more = '', env: Record<string, string> = {}) {
  const config = writeConfig(file + more);
  const member = await startProcess({ MEMBER_PORT: '0', MEMBER_CONFIG: config, ...spied, ...env });
  const svc = `${addressIn(member.ready)}/svc`;
  return {
    config,
    ...member,
    call: (method: string, path: string, init?: Parameters<typeof call>[2]) =>
      call(`${svc}/${path}`, method, init),
    post: (path: string, ...fields: string[]) =>
      call(`${svc}/rest/${path}`, 'POST', { body: fields.map(encodeURIComponent).join('&') }),
    async isUntouched() {
      member.signal('SIGUSR2');
      const said = await eventually(
        async () => member.output(),
        (text) => text.includes('proto:'),
      );
      expect(said).toContain(untouched);
    },
  };
}

describe('a process has no __proto__ (S90)', () => {
  test('the member', async () => {
    await (await start()).isUntouched();
  });

  test('the dashboard', async () => {
    const dashboard = await startDashboard({ env: spied });
    try {
      dashboard.child.kill('SIGUSR2');
      await expect.poll(dashboard.output, { timeout: 20_000 }).toContain(untouched);
    } finally {
      await dashboard.stop();
    }
  });
});

describe('as a name or a key of data it is one as any other (S53, S90)', () => {
  test('of maps, keys and MIME types', async () => {
    const member = await start();
    for (const map of names) {
      for (const key of names) {
        const path = `rest/maps/${map}/${key}`;
        expect(await member.call('GET', path)).toMatchObject(empty(204));
        const body = `{"${key}":{"polluted":true}}`;
        expect(await member.call('POST', path, { body, type: map })).toMatchObject(empty(200));
        expect(await member.call('GET', path)).toMatchObject({ status: 200, body, type: map });
        expect(await member.call('DELETE', path)).toMatchObject(empty(200));
        expect(await member.call('GET', path)).toMatchObject(empty(204));
      }
      await member.call('POST', `rest/maps/${map}/k`, { body: 'v' });
      expect(await member.call('DELETE', `rest/maps/${map}`)).toMatchObject(empty(200));
      expect(await member.call('GET', `rest/maps/${map}/k`)).toMatchObject(empty(204));
    }
    await member.isUntouched();
  });

  test('of queues and items', async () => {
    const member = await start();
    for (const name of names) {
      const queue = `rest/queues/${name}`;
      expect((await member.call('GET', `${queue}/size`)).body).toBe('0');
      expect(await member.call('GET', `${queue}/0`)).toMatchObject(empty(204));
      expect(await member.call('POST', `${queue}/${name}`)).toMatchObject(empty(200));
      expect((await member.call('GET', `${queue}/size`)).body).toBe('1');
      expect(await member.call('DELETE', `${queue}/0`)).toMatchObject({ status: 200, body: name });
      expect(await member.call('GET', `${queue}/${name}`)).toMatchObject(empty(400));
    }
    await member.isUntouched();
  });
});

describe.each(names)('%s (S53, S90)', (name) => {
  test('as a path, a position or a publisher names nothing', async () => {
    const member = await start();
    for (const path of ['', 'rest/', 'rest/management/cluster/', 'rest/cp-subsystem/groups/', 'health/']) {
      expect((await member.call('GET', `${path}${name}`)).status, path).toBeOneOf([400, 404]);
    }
    expect((await member.post('management/cluster/state', name, '')).status).toBe(403);
    for (const path of [
      'management/cluster/changeState',
      'management/cluster/version',
      'log-level',
      'license',
    ]) {
      expect(await member.post(path, 'dev', '', name), path).toMatchObject(empty(500));
    }
    for (const path of ['wan/pausePublisher', 'wan/clearWanQueues', 'wan/sync/allmaps']) {
      expect(await member.post(path, 'dev', '', name, name), path).toMatchObject(empty(500));
    }
    expect(await member.call('GET', `rest/wan/sync/progress/${name}`)).toMatchObject(empty(500));
    await member.isUntouched();
  });

  test('as a key of uploaded YAML, JSON or XML, or of WAN JSON, is refused and changes nothing', async () => {
    const member = await start('  map: { a: {} }\n  queue: { a: {} }\n');
    const uploads = [
      `svc: { map: { added: {} }, ${name}: { polluted: true } }`,
      `${name}: { polluted: true }\nsvc: { map: { added: {} } }`,
      `svc: { map: { added: { eviction: { ${name}: { polluted: true } } } } }`,
      `{"svc":{"map":{"added":{}},"limits":{"${name}":{"polluted":true}}}}`,
      `{"svc":{"map":{"added":{},"x":{"\\u005f\\u005fproto__":{"polluted":true},"${name}":1}}}}`,
      `<svc><map name="added"/><${name}><polluted>true</polluted></${name}></svc>`,
      `<svc><map name="added" ${name}="true"/></svc>`,
      `<svc><map name="added"><eviction><${name} polluted="true"/></eviction></map></svc>`,
      `<${name}><map name="added"/></${name}>`,
    ];
    for (const content of [...uploads, `${uploads[0]}${' '.repeat(9_000)}`]) {
      expect(await member.post('config/upload', 'dev', '', content), content).toMatchObject(empty(500));
    }
    const publisher = '"clusterName":"c","targetEndpoints":"127.0.0.1:1"';
    for (const json of [
      `{"name":"w","batchPublishers":[{${publisher}}],"${name}":{"polluted":true}}`,
      `{"name":"w","batchPublishers":[{${publisher},"${name}":{"polluted":true}}]}`,
      `{"name":"w","batchPublishers":[{${publisher},"sync":{"${name}":{"polluted":true}}}]}`,
    ]) {
      expect(await member.post('wan/addWanConfig', 'dev', '', json), json).toMatchObject(empty(500));
    }
    expect(await member.call('POST', 'rest/maps/added/k', { body: 'v' })).toMatchObject(empty(400));
    await member.isUntouched();
  });

  test('as the name of an uploaded map, queue or replication is one as any other, or is refused', async () => {
    const isRejected = name === '__proto__';
    const member = await start(
      `  dynamic-configuration: { persistence-enabled: true, backup-dir: BACKUPS }
  map: { a: {} }\n  queue: { a: {} }\n`.replace('BACKUPS', `${writeConfig('')}.backups`),
    );
    const before = readFileSync(member.config, 'utf8');
    const publisher = `{ target-endpoints: "127.0.0.1:1" }`;
    for (const content of [
      `svc: { map: { ${name}: {} }, queue: { ${name}: { max-size: 1 } } }`,
      `svc: { wan-replication: { ${name}: { batch-publisher: { ${name}: ${publisher} } } } }`,
      `<svc><map name="${name}-*"/><queue name="${name}-*"/></svc>`,
    ]) {
      const { status } = await member.post('config/upload', 'dev', '', content);
      expect(status, content).toBe(isRejected && !content.includes('-*') ? 500 : 200);
    }
    const status = isRejected ? 400 : 200;
    expect(await member.call('POST', `rest/maps/${name}/k`, { body: 'v' })).toMatchObject(empty(status));
    expect(await member.call('POST', `rest/queues/${name}`, { body: 'v' })).toMatchObject(empty(status));
    expect(await member.call('POST', `rest/maps/${name}-1/k`, { body: 'v' })).toMatchObject(empty(200));
    const paused = await member.post('wan/pausePublisher', 'dev', '', name, name);
    expect(paused.status).toBe(isRejected ? 500 : 200);
    expect(readFileSync(member.config, 'utf8').startsWith(before.slice(0, before.indexOf('  map:')))).toBe(
      true,
    );
    await member.isUntouched();

    const again = await startProcess({ MEMBER_PORT: '0', MEMBER_CONFIG: member.config });
    const url = `${addressIn(again.ready)}/svc/rest/maps/${name}/k`;
    expect(await call(url, 'POST', { body: 'v' })).toMatchObject(empty(status));
  });

  test('as a name in the environment is one as any other, or is refused', async () => {
    const variable = `HZ_MAP_${name.toUpperCase()}_TIMETOLIVESECONDS`;
    if (name === '__proto__') {
      const { code, errors } = await endOf({ MEMBER_PORT: '0', [variable]: '1' });
      expect([code, errors]).toEqual([78, `${variable}: no name that can be configured\n`]);
      return;
    }
    const member = await start('', { [variable]: '1' });
    const path = `rest/maps/${name}/k`;
    expect(await member.call('POST', path, { body: 'v' })).toMatchObject(empty(200));
    await eventually(
      () => member.call('GET', path),
      ({ status }) => status === 204,
    );
    await member.isUntouched();
  });

  test('as the name of a WAN replication, publisher or cluster that JSON adds is one as any other', async () => {
    const member = await start();
    const json = { name, batchPublishers: [{ clusterName: name, targetEndpoints: '127.0.0.1:1' }] };
    const added = await member.post('wan/addWanConfig', 'dev', '', JSON.stringify(json));
    expect(added.body).toContain(`"addedPublisherIds":["${name}"]`);
    expect((await member.post('wan/stopPublisher', 'dev', '', name, name)).status).toBe(200);
    const twice = await member.post('wan/addWanConfig', 'dev', '', JSON.stringify(json));
    expect(twice.body).toContain(`"ignoredPublisherIds":["${name}"]`);
    await member.isUntouched();
  });
});
