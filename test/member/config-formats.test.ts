import { describe, expect, test } from 'vitest';
import { builtInConfig } from '../../member/config/built-in-config.ts';
import type { MemberConfig } from '../../member/config/config.ts';
import { MemberConfigError } from '../../member/config/config-error.ts';
import { loadMemberConfig } from '../../member/config/load.ts';
import { memberConfig } from '../../member/config/member-config.ts';

const yaml = `svc:
  cluster-name: prod
  instance-name: one
  license-key: team#4Nodes#ABCDEFGHIJKLMNOP
  network:
    port: { port: 5800, auto-increment: false, port-count: 3 }
    join: { tcp-ip: { enabled: true, member-list: [a, "b:5701"], members: "c, d" } }
    rest-api: { enabled: true, endpoint-groups: { DATA: { enabled: true }, health_check: { enabled: false } } }
  security:
    enabled: true
    realms:
      - name: members
        authentication: { simple: { users: [{ username: ann, password: "p&w" }, { username: bob, password: q }] } }
        identity: { username-password: { username: me, password: mine } }
    member-authentication: { realm: members }
  map:
    orders:
      time-to-live-seconds: 5
      eviction: { eviction-policy: LRU, max-size-policy: USED_HEAP_PERCENTAGE, size: 30 }
      wan-replication-ref: { all: { republishing-enabled: true } }
      merkle-tree: { enabled: true, depth: 12 }
      data-persistence: { enabled: true, fsync: true }
    "a-*": {}
  queue: { jobs: { max-size: 3 }, default: {} }
  wan-replication:
    all:
      batch-publisher:
        london: { batch-size: 3, target-endpoints: "a:5701, [::1]:5702", sync: { consistency-check-strategy: MERKLE_TREES } }
        p2: { cluster-name: paris, target-endpoints: "p:1", queue-full-behavior: THROW_EXCEPTION, queue-capacity: 7 }
  cp-subsystem: { cp-member-count: 1, session-time-to-live-seconds: 60, session-heartbeat-interval-seconds: 3 }
  persistence: { enabled: true, base-dir: /data, durability: periodic, period-millis: 50 }
  dynamic-configuration: { persistence-enabled: true, backup-dir: /backups, backup-count: 7 }
  limits: { body-bytes: 9000 }
`;

const xml = `<?xml version="1.0" encoding="UTF-8"?>
<svc xmlns="http://www.hazelcast.com/schema/config" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
     xsi:schemaLocation="http://www.hazelcast.com/schema/config hazelcast-config-5.5.xsd">
  <!-- names & such -->
  <cluster-name>prod</cluster-name>
  <instance-name><![CDATA[one]]></instance-name>
  <license-key>team#4Nodes#ABCDEFGHIJKLMNOP</license-key>
  <network>
    <port auto-increment="false" port-count="3">5800</port>
    <join><tcp-ip enabled="true">
      <member>a</member>
      <member-list><member>b:5701</member></member-list>
      <members>c,d</members>
    </tcp-ip></join>
    <rest-api enabled="true">
      <endpoint-group name="DATA" enabled="true"/>
      <endpoint-group name="health_check" enabled="FALSE"/>
    </rest-api>
  </network>
  <security enabled="true">
    <realms>
      <realm name="members">
        <authentication><simple>
          <user username="ann" password="p&amp;w"/>
          <user username="bob" password="q"/>
        </simple></authentication>
        <identity><username-password username="me" password="mine"/></identity>
      </realm>
    </realms>
    <member-authentication realm="members"/>
  </security>
  <map name="orders">
    <time-to-live-seconds>5</time-to-live-seconds>
    <eviction eviction-policy="LRU" max-size-policy="USED_HEAP_PERCENTAGE" size="30"/>
    <wan-replication-ref name="all"><republishing-enabled>true</republishing-enabled></wan-replication-ref>
    <merkle-tree enabled="true"><depth>12</depth></merkle-tree>
    <data-persistence enabled="true"><fsync>true</fsync></data-persistence>
  </map>
  <map name="a-*"/>
  <queue name="jobs"><max-size>3</max-size></queue>
  <queue name="default"/>
  <wan-replication name="all">
    <batch-publisher>
      <cluster-name>london</cluster-name>
      <batch-size>3</batch-size>
      <target-endpoints>a:5701, [::1]:5702</target-endpoints>
      <sync><consistency-check-strategy>MERKLE_TREES</consistency-check-strategy></sync>
    </batch-publisher>
    <batch-publisher>
      <cluster-name>paris</cluster-name>
      <publisher-id>p2</publisher-id>
      <queue-full-behavior>THROW_EXCEPTION</queue-full-behavior>
      <queue-capacity>7</queue-capacity>
      <target-endpoints>p:1</target-endpoints>
    </batch-publisher>
  </wan-replication>
  <cp-subsystem>
    <cp-member-count>1</cp-member-count>
    <session-time-to-live-seconds>60</session-time-to-live-seconds>
    <session-heartbeat-interval-seconds>3</session-heartbeat-interval-seconds>
  </cp-subsystem>
  <persistence enabled="true">
    <base-dir>/data</base-dir><durability>periodic</durability><period-millis>50</period-millis>
  </persistence>
  <dynamic-configuration>
    <persistence-enabled>true</persistence-enabled>
    <backup-dir>/backups</backup-dir>
    <backup-count>7</backup-count>
  </dynamic-configuration>
  <limits><body-bytes>9000</body-bytes></limits>
</svc>
`;

const inProgram = () =>
  memberConfig({
    clusterName: 'prod',
    instanceName: 'one',
    licenseKey: 'team#4Nodes#ABCDEFGHIJKLMNOP',
    network: {
      port: { port: 5800, autoIncrement: false, portCount: 3 },
      join: { tcpIp: { enabled: true, memberList: ['a', 'b:5701', 'c', 'd'] } },
      restApi: {
        enabled: true,
        endpointGroups: { DATA: { enabled: true }, health_check: { enabled: false } },
      },
    },
    security: {
      enabled: true,
      realms: [
        {
          name: 'members',
          authentication: {
            simple: {
              users: [
                { username: 'ann', password: 'p&w' },
                { username: 'bob', password: 'q' },
              ],
            },
          },
          identity: { usernamePassword: { username: 'me', password: 'mine' } },
        },
      ],
      memberAuthentication: { realm: 'members' },
    },
    map: {
      orders: {
        timeToLiveSeconds: 5,
        eviction: { evictionPolicy: 'LRU', maxSizePolicy: 'USED_HEAP_PERCENTAGE', size: 30 },
        wanReplicationRef: { all: { republishingEnabled: true } },
        merkleTree: { enabled: true, depth: 12 },
        dataPersistence: { enabled: true, fsync: true },
      },
      'a-*': {},
    },
    queue: { jobs: { maxSize: 3 }, default: {} },
    wanReplication: {
      all: {
        batchPublisher: {
          london: {
            batchSize: 3,
            targetEndpoints: 'a:5701,[::1]:5702',
            sync: { consistencyCheckStrategy: 'MERKLE_TREES' },
          },
          p2: {
            clusterName: 'paris',
            targetEndpoints: 'p:1',
            queueFullBehavior: 'THROW_EXCEPTION',
            queueCapacity: 7,
          },
        },
      },
    },
    cpSubsystem: {
      cpMemberCount: 1,
      sessionTimeToLiveSeconds: 60,
      sessionHeartbeatIntervalSeconds: 3,
    },
    persistence: { enabled: true, baseDir: '/data', durability: 'periodic', periodMillis: 50 },
    dynamicConfiguration: { persistenceEnabled: true, backupDir: '/backups', backupCount: 7 },
    limits: { bodyBytes: 9000 },
  });

const load = (text: string, file = 'member.conf') => loadMemberConfig(text, { file });
const fromYaml = () => ({ ...load(yaml), source: undefined });

describe('one configuration', () => {
  test('says all of this', () => {
    expect(fromYaml()).toMatchObject({
      clusterName: 'prod',
      instanceName: 'one',
      licenceKey: 'team#4Nodes#ABCDEFGHIJKLMNOP',
      port: { port: 5800, autoIncrement: false, portCount: 3 },
      join: { enabled: true, memberList: ['a', 'b:5701', 'c', 'd'] },
      rest: { enabled: true, groups: ['CLUSTER_READ', 'DATA'], listener: undefined },
      security: {
        enabled: true,
        users: new Map([
          ['ann', 'p&w'],
          ['bob', 'q'],
        ]),
        identity: { name: 'me', password: 'mine' },
      },
      cp: { memberCount: 1, sessionTimeToLiveSeconds: 60, sessionHeartbeatIntervalSeconds: 3 },
      persistence: {
        enabled: true,
        baseDir: '/data',
        backupDir: '/data-backup',
        durability: 'periodic',
        periodMillis: 50,
      },
      dynamicConfiguration: { persistenceEnabled: true, backupDir: '/backups', backupCount: 7 },
      limits: { ...builtInConfig().limits, bodyBytes: 9000 },
      notices: [],
    });
    const { maps, queues, wanReplications } = fromYaml();
    expect([...maps.keys()]).toEqual(['orders', 'a-*']);
    expect(maps.get('orders')).toEqual({
      timeToLiveSeconds: 5,
      maxIdleSeconds: 0,
      eviction: { policy: 'LRU', maxSizePolicy: 'USED_HEAP_PERCENTAGE', size: 30 },
      wanReplicationRefs: [{ name: 'all', republishingEnabled: true }],
      merkleTree: { enabled: true, depth: 12 },
      persistence: { enabled: true, fsync: true },
    });
    expect(queues.get('jobs')).toEqual({ maxSize: 3 });
    const publishers = wanReplications.get('all')?.publishers;
    expect(publishers?.get('london')).toMatchObject({
      clusterName: 'london',
      batchSize: 3,
      targetEndpoints: ['a:5701', '[::1]:5702'],
      sync: { consistencyCheckStrategy: 'MERKLE_TREES' },
      initialPublisherState: 'REPLICATING',
    });
    expect(publishers?.get('p2')).toMatchObject({ clusterName: 'paris', queueCapacity: 7 });
  });

  test.each<{ name: string; read: () => MemberConfig }>([
    { name: 'XML', read: () => load(xml) },
    { name: 'XML of the real engine', read: () => load(xml.replaceAll('svc', 'hazelcast')) },
    { name: 'XML with a prefix', read: () => load(withPrefix(xml)) },
    { name: 'XML behind a byte order mark', read: () => load(`\ufeff${xml}`) },
    { name: 'YAML of the real engine', read: () => load(yaml.replace('svc:', 'hazelcast:')) },
    { name: 'YAML with CRLF', read: () => load(yaml.replaceAll('\n', '\r\n')) },
    { name: 'a program', read: inProgram },
  ])('is the same from $name', ({ read }) => {
    expect({ ...read(), source: undefined }).toEqual(fromYaml());
  });

  test('keeps the path of its file for a reload, and of the environment only overrides', () => {
    const environment = { PATH: '/bin', HZ_CLUSTERNAME: 'x', SVC_MC_APP_ADDRESSES: 'http://a' };
    const { source } = loadMemberConfig('', { file: 'member.yaml', environment });
    expect(source).toEqual({ file: 'member.yaml', environment: { HZ_CLUSTERNAME: 'x' } });
    expect(inProgram().source).toBeUndefined();
  });
});

describe('what the real engine has and this member has no use for', () => {
  test.each([
    {
      format: 'YAML',
      text: `hazelcast:
  properties: { a: b }
  network:
    join:
      multicast: { enabled: false }
    ssl: { enabled: false }
  map:
    m: { backup-count: 1, in-memory-format: BINARY }
`,
      lines: [2, 5, 8, 8],
    },
    {
      format: 'XML',
      text: `<hazelcast>
  <properties><property name="a">b</property></properties>
  <network>
    <join>
      <multicast enabled="false"><multicast-port>1</multicast-port></multicast></join>
    <ssl enabled="false"/>
  </network>
  <map name="m"><backup-count>1</backup-count><in-memory-format>BINARY</in-memory-format></map>
</hazelcast>
`,
      lines: [2, 5, 8, 8],
    },
  ])('is set aside with a notice in $format', ({ text, lines }) => {
    const paths = ['properties', 'network.join.multicast', 'map.m.backup-count', 'map.m.in-memory-format'];
    expect(load(text).notices).toEqual(
      paths.map(
        (path, index) => `member.conf:${lines[index]}: hazelcast.${path}: has no effect on this member`,
      ),
    );
  });

  test.each([
    { text: 'svc: { map: { m: { map-store: { class-name: a.B } } } }', path: 'svc.map.m.map-store' },
    {
      text: 'svc: { queue: { q: { priority-comparator-class-name: a.B } } }',
      path: 'svc.queue.q.priority-comparator-class-name',
    },
    { text: 'svc: { network: { ssl: { enabled: true } } }', path: 'svc.network.ssl' },
    { text: '<svc><network><ssl enabled="true"/></network></svc>', path: 'svc.network.ssl' },
    { text: 'svc: { import: [other.yaml] }', path: 'svc.import' },
    {
      text: '<svc><wan-replication name="w"><custom-publisher><class-name>a.B</class-name></custom-publisher><batch-publisher><cluster-name>c</cluster-name><target-endpoints>a:1</target-endpoints></batch-publisher></wan-replication></svc>',
      path: 'svc.wan-replication.w.custom-publisher',
    },
    {
      text: 'svc: { security: { realms: [{ name: r, authentication: { ldap: { url: "ldap://a" } } }] } }',
      path: 'svc.security.realms.0.authentication.ldap',
    },
  ])('is refused where it would change what a caller gets: $path', ({ text, path }) => {
    expect(problemsOf(() => load(text))).toEqual([
      expect.stringMatching(new RegExp(`^member\\.conf:1: ${path}: this member `)),
    ]);
  });
});

describe('a program', () => {
  test('gets the defaults for what it leaves out', () => {
    expect(memberConfig()).toEqual(builtInConfig());
  });

  test('is told every problem by its path', () => {
    const wrong = {
      clusterNam: 'a',
      map: { m: { timeToLiveSeconds: -1, backupCount: 1 } },
      queue: { q: { maxSize: '3' } },
    };
    expect(problemsOf(() => memberConfig(wrong as never))).toEqual([
      expect.stringMatching(/^memberConfig: svc\.map\.m\.time-to-live-seconds: /),
      expect.stringMatching(/^memberConfig: svc\.queue\.q\.max-size: expected number/),
      'memberConfig: svc.cluster-nam: unknown key',
    ]);
  });
});

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof MemberConfigError) return error.problems;
    throw error;
  }
  return [];
}

function withPrefix(text: string): string {
  return text.replaceAll(/<(\/?)([a-z])/g, '<$1hz:$2').replace('xmlns=', 'xmlns:hz=');
}
