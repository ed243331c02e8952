import { describe, expect, test } from 'vitest';
import { builtInConfig } from '../../member/config/built-in-config.ts';
import { defaultMap } from '../../member/config/config.ts';
import { MemberConfigError } from '../../member/config/config-error.ts';
import { loadMemberConfig } from '../../member/config/load.ts';

const load = (text: string | undefined) => loadMemberConfig(text, { file: 'conf/member.yaml' });

function problemsOf(text: string): readonly string[] {
  try {
    load(text);
  } catch (error) {
    if (error instanceof MemberConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('a member configuration', () => {
  test('without a file has REST off and takes every name', () => {
    expect(load(undefined)).toEqual(builtInConfig());
    expect(load('')).toEqual({ ...builtInConfig(), source: { file: 'conf/member.yaml', environment: {} } });
    expect(builtInConfig().rest).toMatchObject({ enabled: false, groups: ['CLUSTER_READ', 'HEALTH_CHECK'] });
    expect([...builtInConfig().maps.keys()]).toEqual(['default']);
  });

  test('is built in for the embedded member with the groups it is asked for', () => {
    const { rest, port } = builtInConfig({ restEnabled: true, groups: ['DATA'] });
    expect(rest).toEqual({ enabled: true, groups: ['DATA'], listener: undefined });
    expect(port).toEqual({ port: 5701, autoIncrement: true, portCount: 100 });
  });

  test.each(['svc', 'hazelcast'])('is read with the top-level key %s', (top) => {
    const config = load(`
${top}:
  cluster-name: prod
  instance-name: one
  network:
    port: { port: 5800, auto-increment: false, port-count: 3 }
    rest-api:
      enabled: true
      endpoint-groups:
        data: { enabled: true }
        HealthCheck: { enabled: false }
        hot_restart: { enabled: true }
  map:
    orders: { time-to-live-seconds: 60, max-idle-seconds: 30 }
    default:
  queue:
    "jobs-*": { max-size: 10 }
  limits: { body-bytes: 1, key-bytes: 2, memory-bytes: 3, poll-seconds: 4, waiters-per-queue: 5, waiters: 6, structures: 7 }
`);
    expect(config).toEqual({
      ...builtInConfig(),
      source: { file: 'conf/member.yaml', environment: {} },
      clusterName: 'prod',
      instanceName: 'one',
      port: { port: 5800, autoIncrement: false, portCount: 3 },
      rest: { enabled: true, groups: ['CLUSTER_READ', 'PERSISTENCE', 'DATA'], listener: undefined },
      maps: new Map([
        ['orders', { ...defaultMap, timeToLiveSeconds: 60, maxIdleSeconds: 30 }],
        ['default', defaultMap],
      ]),
      queues: new Map([['jobs-*', { maxSize: 10 }]]),
      limits: {
        bodyBytes: 1,
        keyBytes: 2,
        memoryBytes: 3,
        pollSeconds: 4,
        waitersPerQueue: 5,
        waiters: 6,
        structures: 7,
      },
    });
  });

  test('is refused with every problem at once, each with file, line and path', () => {
    const problems = problemsOf(`svc:
  cluster-nam: prod
  network:
    port: { port: 70000 }
    rest-api:
      enabled: "yes"
      endpoint-groups:
        DATUM: { enabled: true }
        DATA: {}
  map:
    a*b*c: {}
    orders:
      time-to-live-seconds: -1
  queue:
    q: 3
`);
    expect(problems.map((problem) => problem.replace(/(: [^:]+: ).*/, '$1'))).toEqual([
      'conf/member.yaml:2: svc.cluster-nam: ',
      'conf/member.yaml:4: svc.network.port.port: ',
      'conf/member.yaml:6: svc.network.rest-api.enabled: ',
      'conf/member.yaml:8: svc.network.rest-api.endpoint-groups.DATUM: ',
      'conf/member.yaml:9: svc.network.rest-api.endpoint-groups.DATA.enabled: ',
      'conf/member.yaml:11: svc.map.a*b*c: ',
      'conf/member.yaml:13: svc.map.orders.time-to-live-seconds: ',
      'conf/member.yaml:15: svc.queue.q: ',
    ]);
    expect(problems[0]).toContain('unknown key');
    expect(problems[2]).toContain('expected boolean');
    expect(problems[3]).toContain('CLUSTER_READ');
  });

  test.each([
    { name: 'no YAML', text: 'svc:\n  map: {\n', line: 3 },
    { name: 'a key that is there twice', text: 'svc:\n  map: {}\n  map: {}\n', line: 3 },
    { name: 'both top-level keys', text: 'svc: {}\nhazelcast: {}\n', line: 2 },
    { name: 'an unknown top-level key', text: 'member: {}\n', line: 1 },
    { name: 'a list', text: '- svc\n', line: 1 },
  ])('$name is refused with its line', ({ text, line }) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^conf/member\\.yaml:${line}: `));
  });
});
