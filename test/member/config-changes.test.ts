import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadMemberConfig } from '../../member/config/load.ts';
import { rest, rows, startOn } from './config-support.ts';
import { empty } from './support.ts';

describe('config/reload', () => {
  test('adds what is new in the file and leaves what is there', async () => {
    const { file, post, get } = await startOn(
      `svc:\n${rest}  map: { a: {} }\n  queue: { q: { max-size: 1 } }\n`,
    );
    expect(await post('maps/b/k', 'v')).toMatchObject(empty(400));
    const next = `svc:\n${rest}  map: { a: { time-to-live-seconds: 1 }, b: {}, "c-*": {} }
  queue: { q: { max-size: 9 }, r: { max-size: 1 } }
  wan-replication: { w: { batch-publisher: { london: { target-endpoints: "127.0.0.1:1" } } } }\n`;
    await writeFile(file, next);

    const reply = await post('config/reload', 'dev&');
    expect(reply.status).toBe(200);
    expect(reply.type).toBe('application/json');
    expect(JSON.parse(reply.body)).toEqual({
      status: 'success',
      message: 'Configuration Reload successfully finished.',
      result: {
        addedConfigs: [...rows('map', 'b', 'c-*'), ...rows('queue', 'r'), ...rows('wan-replication', 'w')],
        ignoredConfigs: [...rows('map', 'a'), ...rows('queue', 'q')],
      },
    });
    for (const map of ['a', 'b', 'c-1']) {
      expect(await post(`maps/${map}/k`, 'v')).toMatchObject(empty(200));
    }
    expect(await post('maps/d/k', 'v')).toMatchObject(empty(400));
    expect(await post('queues/r', '1')).toMatchObject(empty(200));
    expect(await post('queues/r', '2')).toMatchObject(empty(503));
    expect((await get('queues/r/size')).body).toBe('1');
    expect(await post('wan/pausePublisher', 'dev&&w&london')).toMatchObject({ status: 200 });
    expect(await readFile(file, 'utf8')).toBe(next);
  });

  test('of a file that cannot be used is 500 with the problems in the log, and changes nothing', async () => {
    const { file, lines, post } = await startOn(`svc:\n${rest}  map: { a: {} }\n`);
    await writeFile(file, 'svc:\n  map: { b: {}, c: { time-to-live-seconds: soon } }\n');
    expect(await post('config/reload', 'dev&')).toMatchObject(empty(500));
    expect(lines.join()).toContain(`${file}:2: svc.map.c.time-to-live-seconds: expected number`);
    expect(await post('maps/b/k', 'v')).toMatchObject(empty(400));
    await rm(file);
    expect(await post('config/reload', 'dev&')).toMatchObject(empty(500));
    expect(lines.join()).toContain('ENOENT');
  });

  test('asks for the cluster name', async () => {
    const { post } = await startOn(`svc:\n${rest}`);
    expect(await post('config/reload', 'dev')).toMatchObject(empty(400));
    expect(await post('config/reload', 'prod&')).toMatchObject({
      status: 403,
      body: '{"status":"fail","message":"unauthenticated"}',
    });
  });
});

describe('config/upload', () => {
  const xml =
    '<hazelcast><map name="x"><max-idle-seconds>9</max-idle-seconds></map><queue name="y"/></hazelcast>';

  test.each([
    {
      format: 'YAML',
      path: 'upload',
      content: 'svc:\n  map: { x: { max-idle-seconds: 9 } }\n  queue: { y: {} }\n',
    },
    { format: 'XML', path: 'upload', content: xml },
    { format: 'XML', path: 'update', content: xml },
  ])('takes $format at config/$path', async ({ path, content }) => {
    const { file, post } = await startOn(`svc:\n${rest}  map: { a: {} }\n  queue: { b: {} }\n`);
    const before = await readFile(file, 'utf8');
    const body = `dev&&${encodeURIComponent(content)}`;
    const result = { addedConfigs: [...rows('map', 'x'), ...rows('queue', 'y')], ignoredConfigs: [] };
    const reply = await post(`config/${path}`, body);
    expect(JSON.parse(reply.body)).toEqual({
      status: 'success',
      message: 'Configuration Update successfully finished.',
      result,
    });
    expect(await post('maps/x/k', 'v')).toMatchObject(empty(200));
    expect(await post('queues/y', 'v')).toMatchObject(empty(200));
    const again = JSON.parse((await post(`config/${path}`, body)).body);
    expect(again.result).toEqual({ addedConfigs: [], ignoredConfigs: result.addedConfigs });
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test('that cannot be used is 500, adds nothing and tells the log no value', async () => {
    const { upload, lines, post } = await startOn(`svc:\n${rest}  map: { a: {} }\n`);
    const bad = [
      'svc: { map: { x: {}, y: 3 } }',
      '<svc><map name="x"></svc>',
      'svc: {map: "s3cret" "s3cret"}',
    ];
    const attack = '<!DOCTYPE svc [<!ENTITY e SYSTEM "file:///etc/passwd">]><svc>&e;</svc>';
    const huge = `svc: {} # ${'x'.repeat(1024 * 1024)}`;
    for (const content of [...bad, attack, huge, 'svc: &a [*a, *a]', '<svc password=s3cret/>', '\0', '']) {
      const isEmpty = content === '';
      expect(await upload(content), content.slice(0, 50)).toMatchObject({ status: isEmpty ? 200 : 500 });
    }
    expect(await post('maps/x/k', 'v')).toMatchObject(empty(400));
    expect(lines.join()).toContain('the configuration sent:1: svc.map.y: ');
    expect(lines.join()).not.toContain('s3cret');
  });

  test('of garbage that takes a parser long does not keep others from being answered', async () => {
    const { upload, get, lines } = await startOn(`svc:\n${rest}  map: { m: {} }\n`);
    let isOver = false;
    const uploading = upload(']'.repeat(20_000)).finally(() => {
      isOver = true;
    });
    let answered = 0;
    while (!isOver) {
      expect((await get('maps/m/k')).status).toBe(204);
      answered += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await uploading).toMatchObject(empty(500));
    expect(lines.join()).toContain('Unexpected flow-seq-end token');
    expect(answered).toBeGreaterThan(3);
  });

  test.each([
    { name: 'too few positions', body: 'dev&', status: 400 },
    { name: 'a bad escape', body: 'dev&&%zz', status: 500 },
  ])('with $name is refused', async ({ body, status }) => {
    const { post } = await startOn(`svc:\n${rest}`);
    expect(await post('config/upload', body)).toMatchObject(empty(status));
  });
});

describe('with dynamic-configuration.persistence-enabled', () => {
  const kept =
    '  dynamic-configuration: { persistence-enabled: true, backup-dir: BACKUPS, backup-count: 2 }\n';

  test('an upload is written into the YAML file, comments kept, after a copy', async () => {
    const { file, folder, upload } = await startOn(
      `# mine\nsvc:\n${rest}${kept}  map:\n    a: {} # the first\n`,
    );
    await chmod(file, 0o600);
    const before = await readFile(file, 'utf8');
    expect(
      (await upload('svc: { map: { a: {}, "s-*": { max-idle-seconds: 5 } }, queue: { q: { max-size: 2 } } }'))
        .status,
    ).toBe(200);

    const after = await readFile(file, 'utf8');
    expect(after).toContain('# mine\n');
    expect(after).toContain('    a: {} # the first\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { maps, queues } = loadMemberConfig(after, { file });
    expect([...maps.keys()]).toEqual(['a', 's-*']);
    expect(maps.get('s-*')).toMatchObject({ maxIdleSeconds: 5 });
    // A queue section that is there is the whole list: what was built in is said now.
    expect([...queues]).toEqual([
      ['default', { maxSize: 0 }],
      ['q', { maxSize: 2 }],
    ]);
    const [copy = ''] = await readdir(join(folder, 'backups'));
    expect(await readFile(join(folder, 'backups', copy), 'utf8')).toBe(before);
    expect((await readdir(folder)).sort()).toEqual(['backups', 'member.yaml']);

    for (const map of ['m1', 'm2', 'm3'])
      expect((await upload(`svc: { map: { ${map}: {} } }`)).status).toBe(200);
    expect(await readdir(join(folder, 'backups'))).toHaveLength(2);
  });

  test('an upload is written into the XML file, comments kept', async () => {
    const groups = ['DATA', 'CLUSTER_WRITE', 'WAN'].map(
      (group) => `<endpoint-group name="${group}" enabled="true"/>`,
    );
    const { file, upload, post } = await startOn(
      `<?xml version="1.0" encoding="UTF-8"?>
<hz:hazelcast xmlns:hz="http://www.hazelcast.com/schema/config">
    <!-- mine -->
    <hz:network>
        <hz:join><hz:tcp-ip enabled="true"><hz:member>a</hz:member></hz:tcp-ip></hz:join>
        <hz:rest-api enabled="true">${groups.join('').replaceAll('<', '<hz:')}</hz:rest-api>
    </hz:network>
    <hz:dynamic-configuration>
        <hz:persistence-enabled>true</hz:persistence-enabled><hz:backup-dir>BACKUPS</hz:backup-dir>
    </hz:dynamic-configuration>
</hz:hazelcast>
`,
      'member.xml',
    );
    const map =
      'eviction: { eviction-policy: LRU, size: 7 }, wan-replication-ref: { w: { republishing-enabled: true } }, data-persistence: { enabled: true, fsync: true }';
    const wan =
      'w: { batch-publisher: { london: { target-endpoints: "h:1,h:2", sync: { consistency-check-strategy: MERKLE_TREES } } } }';
    const reply = await upload(`svc: { map: { "<&>": { ${map} } }, wan-replication: { ${wan} } }`);
    expect(reply.status).toBe(200);
    expect((await post('config/tcp-ip/member-list', 'dev&&10.0.0.1,b:5701')).status).toBe(200);
    const json = JSON.stringify({
      name: 'w',
      batchPublishers: [{ publisherId: 'p', clusterName: 'paris', targetEndpoints: 'h:3' }],
    });
    expect((await post('wan/addWanConfig', `dev&&${encodeURIComponent(json)}`)).status).toBe(200);

    const after = await readFile(file, 'utf8');
    expect(after).toContain('    <!-- mine -->\n');
    expect(after).toContain(
      '\n    <hz:map name="default"/>\n    <hz:map name="&lt;&amp;&gt;">\n        <hz:eviction',
    );
    const config = loadMemberConfig(after, { file });
    expect(config.join).toEqual({ enabled: true, memberList: ['10.0.0.1', 'b:5701'] });
    expect([...config.maps.keys()]).toEqual(['default', '<&>']);
    expect(config.maps.get('<&>')).toMatchObject({
      eviction: { policy: 'LRU', size: 7 },
      wanReplicationRefs: [{ name: 'w', republishingEnabled: true }],
      persistence: { enabled: true, fsync: true },
    });
    const publishers = config.wanReplications.get('w')!.publishers;
    expect(publishers.get('london')).toMatchObject({
      clusterName: 'london',
      targetEndpoints: ['h:1', 'h:2'],
      sync: { consistencyCheckStrategy: 'MERKLE_TREES' },
    });
    expect(publishers.get('p')).toMatchObject({
      clusterName: 'paris',
      targetEndpoints: ['h:3'],
      batchSize: 500,
    });
  });

  test('a large upload is added and written as a small one is', async () => {
    const { file, upload, post } = await startOn(`svc:\n${rest}${kept}`);
    const names = Array.from({ length: 500 }, (_, index) => `large-${index}`);
    const reply = await upload(`svc:\n  map:\n${names.map((name) => `    ${name}: {}\n`).join('')}`);
    expect(JSON.parse(reply.body).result.addedConfigs).toHaveLength(500);
    expect((await post('maps/large-499/k', 'v')).status).toBe(200);
    const { maps } = loadMemberConfig(await readFile(file, 'utf8'), { file });
    expect([...maps.keys()]).toEqual(expect.arrayContaining(names));
  });

  test('a file behind a link stays behind it', async () => {
    const { file, folder, upload } = await startOn(`svc:\n${rest}${kept}`);
    const target = join(folder, 'target.yaml');
    await writeFile(target, await readFile(file));
    await rm(file);
    await symlink(target, file);
    expect((await upload('svc: { map: { x: {} } }')).status).toBe(200);
    expect(await readFile(target, 'utf8')).toContain('x:');
    expect((await readdir(folder)).sort()).toEqual(['backups', 'member.yaml', 'target.yaml']);
  });

  test('what cannot be written is 500 and not added', async () => {
    const { file, folder, upload, post, lines } = await startOn(`svc:\n${rest}${kept}  map: { a: {} }\n`);
    await writeFile(join(folder, 'backups'), 'a file where the directory belongs');
    const before = await readFile(file, 'utf8');
    expect(await upload('svc: { map: { x: {} } }')).toMatchObject(empty(500));
    expect(await post('config/tcp-ip/member-list', 'dev&&z')).toMatchObject(empty(500));
    expect(lines.join()).toContain('the configuration file cannot be written (EEXIST)');
    expect(await post('maps/x/k', 'v')).toMatchObject(empty(400));
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test('a publisher that cannot be kept does not run either', async () => {
    const { folder, post, lines } = await startOn(`svc:\n${rest}${kept}`);
    await writeFile(join(folder, 'backups'), 'a file where the directory belongs');
    const json = JSON.stringify({
      name: 'w',
      batchPublishers: [{ clusterName: 'paris', targetEndpoints: 'h:3' }],
    });
    expect(await post('wan/addWanConfig', `dev&&${encodeURIComponent(json)}`)).toMatchObject(empty(500));
    expect(await post('wan/pausePublisher', 'dev&&w&paris')).toMatchObject(empty(500));
    expect(lines.join()).toContain('there is no WAN replication of this name');
  });

  test('what was broken by hand meanwhile is left as it is', async () => {
    const { file, upload } = await startOn(`svc:\n${rest}${kept}`);
    await writeFile(file, 'svc: { map: [');
    expect(await upload('svc: { map: { x: {} } }')).toMatchObject(empty(500));
    expect(await readFile(file, 'utf8')).toBe('svc: { map: [');
  });
});

describe('config/tcp-ip/member-list', () => {
  const path = 'config/tcp-ip/member-list';

  test('shows the members as configured, and takes others at run time', async () => {
    const { get, post } = await startOn(`svc:\n${rest}`);
    expect((await get(path)).body).toBe('{"status":"success","member-list":["a","b:5701"]}');
    const reply = await post(path, 'dev&&10.0.0.1;10.0.0.2:5702,+c');
    expect(reply.body).toBe(
      '{"status":"success","message":"The member list of TCP-IP join config is updated at run time. ","member-list":["10.0.0.1","10.0.0.2:5702","c"]}',
    );
    expect((await get(path)).body).toBe(
      '{"status":"success","member-list":["10.0.0.1","10.0.0.2:5702","c"]}',
    );
    expect(await post(path, 'dev&&<x>')).toMatchObject(empty(500));
    expect((await get(path)).body).toContain('"c"]');
  });

  test('is 400 while the join is off', async () => {
    const { get, post } = await startOn(`svc:\n${rest.replace('enabled: true', 'enabled: false')}`);
    expect(await get(path)).toMatchObject(empty(400));
    expect(await post(path, 'dev&&a')).toMatchObject(empty(400));
  });
});
