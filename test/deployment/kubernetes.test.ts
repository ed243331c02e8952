/** `packaging/kubernetes/`: the chart and the manifests that come of it, read by Kubernetes' own schemas and started by what they say. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { clientSecret } from '../helpers/console.ts';
import { freePort } from '../helpers/ports.ts';
import { makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { type EmbeddedMember, startEmbeddedMember } from '../peers/support/embedded-member.ts';
import { startDescribed } from './started.ts';
import {
  chart,
  helm,
  manifest,
  type Resource,
  rendering,
  resourcesIn,
  toolsAreMissing,
  validateManifest,
} from './tools.ts';

const text = readFileSync(manifest, 'utf8');
const resources = resourcesIn(text);
const find = (kind: string, name: string): Resource =>
  resources.find((one) => one.kind === kind && one.metadata.name === name);
const workloads = resources.filter(({ kind }) => ['StatefulSet', 'Deployment'].includes(kind));
const pods = workloads.map(({ metadata, spec }) => ({
  name: metadata.name,
  pod: spec.template.spec,
  container: spec.template.spec.containers[0],
}));

describe.skipIf(toolsAreMissing)(`the chart${toolsAreMissing ?? ''}`, () => {
  test('its reader finds nothing wrong, and the manifests are what comes of it', () => {
    expect(helm('lint', '--strict', chart)).toMatchObject({ code: 0 });
    const rendered = helm(...rendering).text;
    if (process.env.UPDATE_MANIFESTS) writeFileSync(manifest, rendered);
    else expect(rendered).toBe(text);
  });

  test.each(['1.27', '1.37'])('the schemas of Kubernetes %s know every field', (release) => {
    expect(validateManifest(manifest, release)).toEqual({ code: 0, text: '' });
  });

  test('a field that Kubernetes does not know is found', () => {
    const spoiled = join(mkdtempSync(join(tmpdir(), 'manifest-')), 'spoiled.yaml');
    onTestFinished(() => rmSync(spoiled));
    writeFileSync(spoiled, text.replace('readinessProbe', 'readynessProbe'));
    expect(validateManifest(spoiled, '1.37').text).toContain('readynessProbe');
  });

  test.each([
    ['more than one console', 'console.replicas=2', 'replicas'],
    ['an address without TLS', 'url=http://console.example.com', 'url'],
    ['no members', 'members.enabled=false', 'name your members'],
    ['a setting that is none', 'settings.console_strict=true', 'console_strict'],
  ])('values with %s are refused', (_name, value, why) => {
    const said = helm(...rendering, '--set', value);
    expect([said.code, said.text]).toEqual([1, expect.stringContaining(why)]);
  });

  test('members of your own take the place of those of the chart', () => {
    const said = helm(
      ...rendering,
      '--set',
      'members.enabled=false,memberAddresses={http://10.0.0.1:5701,http://10.0.0.2:5701}',
      '--set',
      'trustedProxies={10.1.0.0/16},secrets.hasMemberPassword=true',
    );
    expect(said.code).toBe(0);
    expect(said.text).toContain('value: "http://10.0.0.1:5701,http://10.0.0.2:5701"');
    expect(said.text).toContain('/run/secrets/cluster-console/member-password');
    expect(said.text).not.toContain('hazelcast');
  });
});

test('there are one console with a volume, several proxies and three members', () => {
  expect(workloads.map(({ kind, metadata, spec }) => [kind, metadata.name, spec.replicas]).sort()).toEqual([
    ['Deployment', 'cluster-proxy', 3],
    ['StatefulSet', 'cluster-console', 1],
    ['StatefulSet', 'cluster-member', 3],
  ]);
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
  expect(find('PodDisruptionBudget', name).spec.maxUnavailable).toBe(name === 'cluster-console' ? 0 : 1);
  expect(find('NetworkPolicy', name).spec.policyTypes).toEqual(['Ingress', 'Egress']);
});

test('secrets are references: no value stands in it', () => {
  expect(resources.some(({ kind }) => kind === 'Secret')).toBe(false);
  for (const { container } of pods) {
    const secret = (container.env as Resource[]).filter(({ name }) => /SECRET|PASSWORD|KEY/.test(name));
    for (const { name, value } of secret)
      expect([name, value]).toEqual([name, expect.stringMatching(/^\/run\//)]);
  }
});

describe.skipIf(opensslIsMissing)('what it says starts', () => {
  let member: EmbeddedMember;
  let folder: string;
  const stops: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    member = await startEmbeddedMember(['HEALTH_CHECK', 'CLUSTER_READ', 'DATA']);
    folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    await member?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('console and proxy take their settings, as strictly as they say, and a call goes through', async () => {
    const certificate = await makeCertificate();
    stops.push(() => certificate.remove());
    const [port, managementPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
    const secrets = {
      'encryption-key': randomBytes(32).toString('base64'),
      'application-client-secret': clientSecret,
      'member-proxy': randomBytes(32).toString('hex'),
    };
    for (const path of ['secrets', 'configuration/secrets', 'volume'])
      mkdirSync(join(folder, path), { recursive: true });
    for (const [name, value] of Object.entries(secrets))
      writeFileSync(join(folder, 'secrets', name), value, { mode: 0o440 });
    writeFileSync(join(folder, 'configuration/secrets/member-proxy'), secrets['member-proxy']);
    const files = find('ConfigMap', 'cluster-console-configuration').data as Record<string, string>;
    for (const [name, value] of Object.entries(files))
      writeFileSync(join(folder, 'configuration', name), value);
    // As the cluster makes a volume writable for the group.
    chmodSync(join(folder, 'volume'), 0o2770);
    const members = settingsOf('cluster-console').CONSOLE_MEMBERS!;
    const here = {
      [members]: member.address,
      '/run/tls/tls.crt': certificate.certificateFile,
      '/run/tls/ca.crt': certificate.certificateFile,
      '/run/tls/tls.key': certificate.keyFile,
      '/run/secrets/cluster-console': join(folder, 'secrets'),
      '/etc/cluster-console/configuration': join(folder, 'configuration'),
      '/var/lib/cluster-console': join(folder, 'volume'),
      'https://console.example.com': `https://localhost:${port}`,
      'cluster-console.cluster-console.svc:8443': `localhost:${port}`,
    };
    const started = await startDescribed({
      program: 'console',
      settings: settingsOf('cluster-console'),
      here: { ...here, '8443': `${port}`, '9443': `${managementPort}` },
      dataDir: '',
    });
    stops.push(started.stop);
    expect(statSync(join(folder, 'volume/store')).mode & 0o777).toBe(0o700);
    const proxy = await startDescribed({
      program: 'proxy',
      settings: settingsOf('cluster-proxy'),
      here: { ...here, '8443': `${proxyPort}` },
      dataDir: join(folder, 'proxy'),
    });
    stops.push(proxy.stop);

    const ca = certificate.pem;
    for (const [path, at] of [
      [
        find('StatefulSet', 'cluster-console').spec.template.spec.containers[0].readinessProbe,
        managementPort,
      ],
      [find('Deployment', 'cluster-proxy').spec.template.spec.containers[0].readinessProbe, proxyPort],
    ] as const) {
      expect((await get(ca, at, path.httpGet.path)).status).toBe(200);
    }
    const token = await machineToken(ca, port);
    expect((await get(ca, proxyPort, '/svc/rest/maps/a/b', token)).status).toBe(204);
    expect((await get(ca, proxyPort, '/svc/rest/maps/a/b')).status).toBe(401);
  }, 120_000);

  function settingsOf(name: string): Readonly<Record<string, string>> {
    const { container } = pods.find((one) => one.name === name)!;
    return Object.fromEntries(
      (container.env as Resource[]).map((one) => [one.name as string, one.value as string]),
    );
  }
});

async function machineToken(ca: string, port: number): Promise<string> {
  const { status, body } = await send(ca, port, 'POST', '/oauth2/token', {
    authorization: `Basic ${btoa(`application-client:${clientSecret}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
  });
  if (status !== 200) throw new Error(body);
  return JSON.parse(body).access_token;
}

const get = (ca: string, port: number, path: string, token?: string) =>
  send(ca, port, 'GET', path, token === undefined ? {} : { authorization: `Bearer ${token}` });

function send(ca: string, port: number, method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request({ host: 'localhost', port, method, path, ca, headers, agent: false }, (reply) => {
      let body = '';
      reply.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      reply.once('end', () => resolve({ status: reply.statusCode!, body }));
    });
    sent.once('error', reject);
    sent.end(method === 'POST' ? 'grant_type=client_credentials' : undefined);
  });
}
