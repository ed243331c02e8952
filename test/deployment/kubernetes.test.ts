/** `packaging/kubernetes/`: the chart and the manifests that come of it, read by Kubernetes' own schemas. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  alone,
  chart,
  helm,
  manifestOf,
  type Resource,
  shared,
  toolsAreMissing,
  validateManifest,
} from './tools.ts';

const variants = [alone, shared];
/** CONSOLE_SHUTDOWN_DELAY at its most, and the 30 s that a process has from then on. */
const longestEndSeconds = 90;

describe.skipIf(toolsAreMissing)(`the chart${toolsAreMissing ?? ''}`, () => {
  test('its reader finds nothing wrong', () => {
    expect(helm('lint', '--strict', chart)).toMatchObject({ code: 0 });
  });

  test.each(variants)('$name: the manifests are what comes of it', ({ file, rendering }) => {
    const rendered = helm(...rendering).text;
    if (process.env.UPDATE_MANIFESTS) writeFileSync(file, rendered);
    else expect(rendered).toBe(readFileSync(file, 'utf8'));
  });

  test.each(
    variants.flatMap(({ name, file }) => ['1.27', '1.37'].map((release) => ({ name, file, release }))),
  )('$name: the schemas of Kubernetes $release know every field', ({ file, release }) => {
    expect(validateManifest(file, release)).toEqual({ code: 0, text: '' });
  });

  test('a field that Kubernetes does not know is found', () => {
    const spoiled = join(mkdtempSync(join(tmpdir(), 'manifest-')), 'spoiled.yaml');
    onTestFinished(() => rmSync(spoiled));
    writeFileSync(spoiled, readFileSync(alone.file, 'utf8').replace('readinessProbe', 'readynessProbe'));
    expect(validateManifest(spoiled, '1.37').text).toContain('readynessProbe');
  });

  test.each([
    ['several consoles without a database', alone, 'console.replicas=2', 'database.secretName'],
    ['no console', alone, 'console.replicas=0', 'replicas'],
    ['an address without TLS', alone, 'url=http://console.example.com', 'url'],
    ['no members', alone, 'members.enabled=false', 'name your members'],
    ['a setting that is none', alone, 'settings.console_strict=true', 'console_strict'],
    [
      'the address of the database as text',
      alone,
      'settings.CONSOLE_DATABASE_URL=postgres://a',
      'database.secretName',
    ],
    [
      'the address of the database to listen at as text',
      alone,
      'settings.CONSOLE_DATABASE_LISTEN_URL=postgres://a',
      'database.listen.key',
    ],
    ['an address to listen at without a database', alone, 'database.listen.key=a', 'database.secretName'],
    ['a database that the policy does not know', alone, 'database.secretName=a', 'database.cidrs'],
    ['an address that is no network', shared, 'database.cidrs={db.example.com}', 'cidrs'],
    ['workers beside a database', shared, 'console.settings.CONSOLE_WORKERS="2"', 'console.replicas'],
  ])('values with %s are refused', (_name, { rendering }, value, why) => {
    const how = value.includes('"') ? '--set-json' : '--set';
    const said = helm(...rendering, how, value);
    expect([said.code, said.text]).toEqual([1, expect.stringContaining(why)]);
  });

  test('members of your own take the place of those of the chart', () => {
    const said = helm(
      ...alone.rendering,
      '--set',
      'members.enabled=false,memberAddresses={http://10.0.0.1:5701,http://10.0.0.2:5701}',
      '--set',
      'trustedProxies={10.1.0.0/16},secrets.hasMemberPassword=true',
    );
    expect(said.code).toBe(0);
    expect(said.text).toContain('value: "http://10.0.0.1:5701,http://10.0.0.2:5701"');
    expect(said.text).toContain('/run/secrets/cluster-console/member-password');
    expect(said.text).not.toContain('hazelcast');
    const { find } = manifestOf(said.text);
    for (const name of ['cluster-console', 'cluster-proxy'])
      expect([name, find('NetworkPolicy', name).spec.egress]).toEqual([
        name,
        expect.arrayContaining([{ ports: [{ port: 5701, endPort: 5799, protocol: 'TCP' }] }]),
      ]);
  });

  test('consoles reach a database outside the cluster at its addresses alone', () => {
    const { text } = helm(
      ...alone.rendering,
      '--set',
      'database.secretName=a,database.cidrs={10.2.0.5/32,10.2.0.6/32},database.port=6432,console.replicas=3',
    );
    const policy = manifestOf(text).find('NetworkPolicy', 'cluster-console');
    expect(policy.spec.egress).toContainEqual({
      to: [{ ipBlock: { cidr: '10.2.0.5/32' } }, { ipBlock: { cidr: '10.2.0.6/32' } }],
      ports: [{ port: 6432, protocol: 'TCP' }],
    });
  });
});

test('behind PgBouncer consoles listen at the database itself, and are let through to it', () => {
  const { code, text } = helm(...shared.rendering, '--set', 'database.port=6432,database.listen.key=direct');
  expect([code, text]).toEqual([0, expect.stringContaining('value: /run/secrets/database/direct')]);
  const ports = [
    { port: 6432, protocol: 'TCP' },
    { port: 5432, protocol: 'TCP' },
  ];
  expect(manifestOf(text).find('NetworkPolicy', 'cluster-console').spec.egress).toContainEqual(
    expect.objectContaining({ ports }),
  );
});

describe.each(variants)('$name', ({ file, consoles }) => {
  const { resources, workloads, pods, find } = manifestOf(readFileSync(file, 'utf8'));

  test('there are consoles with a volume for each, several proxies and three members', () => {
    expect(workloads.map(({ kind, metadata, spec }) => [kind, metadata.name, spec.replicas]).sort()).toEqual([
      ['Deployment', 'cluster-proxy', 3],
      ['StatefulSet', 'cluster-console', consoles],
      ['StatefulSet', 'cluster-member', 3],
    ]);
    const { spec } = find('StatefulSet', 'cluster-console');
    expect(spec.volumeClaimTemplates[0].metadata.name).toBe('data');
  });

  test.each(pods)(
    '$name runs as no root, writes to its volumes alone, and is watched',
    ({ pod, container }) => {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container).toMatchObject({
        livenessProbe: expect.anything(),
        readinessProbe: expect.anything(),
        startupProbe: expect.anything(),
        resources: { requests: expect.anything(), limits: { memory: expect.anything() } },
      });
    },
  );

  test.each(pods)('$name has a budget for disruptions, and a policy of who reaches it', ({ name }) => {
    const isAlone = name === 'cluster-console' && consoles === 1;
    expect(find('PodDisruptionBudget', name).spec.maxUnavailable).toBe(isAlone ? 0 : 1);
    expect(find('NetworkPolicy', name).spec.policyTypes).toEqual(['Ingress', 'Egress']);
  });

  test.each(pods)(
    '$name has longer to end than its delay, whatever that is set to, and its own end take',
    ({ pod, container }) => {
      expect(container.lifecycle).toBeUndefined();
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(longestEndSeconds);
    },
  );

  test('secrets are references: no value stands in it', () => {
    expect(resources.some(({ kind }) => kind === 'Secret')).toBe(false);
    for (const { container } of pods) {
      const secret = (container.env as Resource[]).filter(({ name }) =>
        /SECRET|PASSWORD|KEY|DATABASE/.test(name),
      );
      for (const { name, value } of secret)
        expect([name, value]).toEqual([name, expect.stringMatching(/^\/run\//)]);
    }
  });
});

test('several consoles are on different machines, leave one by one, and get calls while they are ready alone', () => {
  const { find } = manifestOf(readFileSync(shared.file, 'utf8'));
  const { spec } = find('StatefulSet', 'cluster-console');
  const { affinity, containers } = spec.template.spec;
  const [{ podAffinityTerm }] = affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
  expect(podAffinityTerm.topologyKey).toBe('kubernetes.io/hostname');
  expect(podAffinityTerm.labelSelector).toEqual(spec.selector);
  expect(spec).toMatchObject({ updateStrategy: { type: 'RollingUpdate' }, minReadySeconds: 10 });
  expect(containers[0].env).toContainEqual({ name: 'CONSOLE_SHUTDOWN_DELAY', value: '10' });
  expect(find('Service', 'cluster-console').spec.publishNotReadyAddresses).toBeUndefined();
});

test('the database is reached by consoles, at its port, and by nobody else', () => {
  const { find } = manifestOf(readFileSync(shared.file, 'utf8'));
  const reaching = (name: string) =>
    (find('NetworkPolicy', name).spec.egress as Resource[]).filter(({ ports }) => ports[0].port === 5432);
  expect(reaching('cluster-console')).toEqual([
    {
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'database' } },
          podSelector: { matchLabels: { 'app.kubernetes.io/name': 'postgres' } },
        },
      ],
      ports: [{ port: 5432, protocol: 'TCP' }],
    },
  ]);
  expect([reaching('cluster-proxy'), reaching('cluster-member')]).toEqual([[], []]);
  const [pod] = [find('Deployment', 'cluster-proxy').spec.template.spec];
  expect(JSON.stringify(pod)).not.toContain('database');
});
