/** What `packaging/kubernetes/` says starts: consoles and a proxy by the settings, files and mounts of the manifests. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret } from '../helpers/console.ts';
import { freePort } from '../helpers/ports.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { until } from '../helpers/store.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { type EmbeddedMember, startEmbeddedMember } from '../peers/support/embedded-member.ts';
import { startDescribed } from './started.ts';
import { alone, type Manifest, manifestOf, shared, type Variant } from './tools.ts';

describe.skipIf(opensslIsMissing)('what the manifests say starts', () => {
  let member: EmbeddedMember;
  let certificate: Certificate;
  const stops: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    member = await startEmbeddedMember(['HEALTH_CHECK', 'CLUSTER_READ', 'DATA']);
    stops.push(() => member.stop());
    certificate = await makeCertificate();
    stops.push(() => certificate.remove());
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  test('one console and a proxy take their settings, as strictly as they say, and a call goes through', async () => {
    const cluster = makeCluster(alone);
    const port = await freePort();
    await cluster.startConsole(0, port, port);
    expect(statSync(join(cluster.folder, 'volume-0/store')).mode & 0o777).toBe(0o700);
    const proxyPort = await cluster.startProxy(port);
    const ca = certificate.pem;
    const token = await machineToken(ca, port);
    expect((await get(ca, proxyPort, '/svc/rest/maps/a/b', token)).status).toBe(204);
    expect((await get(ca, proxyPort, '/svc/rest/maps/a/b')).status).toBe(401);
  }, 120_000);

  const noPostgres = postgresPrograms === undefined ? ' (skipped: apt-get install postgresql)' : '';
  test.skipIf(noPostgres)(
    `two consoles share the database of the secret, and one goes on when the other ends${noPostgres}`,
    async () => {
      const postgres: Postgres = await startPostgres();
      stops.push(postgres.close);
      const cluster = makeCluster(shared, postgres.url(await postgres.createDatabase()));
      const [port, another] = [await freePort(), await freePort()];
      const first = await cluster.startConsole(0, port, port);
      await cluster.startConsole(1, another, port);
      const proxyPort = await cluster.startProxy(another);
      const ca = certificate.pem;
      const token = await machineToken(ca, port);
      expect((await get(ca, proxyPort, '/svc/rest/maps/a/b', token)).status).toBe(204);
      await first.stop('SIGKILL');
      expect((await get(ca, another, '/svc/rest/maps/a/b', token)).status).toBe(204);
      const later = await machineToken(ca, another);
      expect((await get(ca, proxyPort, '/svc/rest/maps/a/b', later)).status).toBe(204);
      // Its service keeps it without the database, for what needs none.
      await postgres.stop();
      await until(
        async () => (await cluster.probe(1, 'startupProbe')) === 503,
        'the console misses it',
        20_000,
      );
      expect(await cluster.probe(1, 'readinessProbe')).toBe(200);
      const meanwhile = await machineToken(ca, another);
      expect((await get(ca, another, '/svc/rest/maps/a/b', meanwhile)).status).toBe(204);
    },
    120_000,
  );

  /** Its files as they are mounted. @param databaseUrl  what the secret of the database holds */
  function makeCluster(variant: Variant, databaseUrl?: string) {
    const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
    stops.push(async () => rmSync(folder, { recursive: true, force: true }));
    const manifest = manifestOf(readFileSync(variant.file, 'utf8'));
    writeFiles(folder, manifest);
    if (databaseUrl !== undefined) {
      const { volumes, containers } = manifest.find('StatefulSet', 'cluster-console').spec.template.spec;
      const mounts = containers[0].volumeMounts;
      const { secret } = volumes.find(({ name }: { readonly name: string }) => name === 'database');
      expect(secret.secretName).toBe('cluster-console-database');
      expect(mounts).toContainEqual({ name: 'database', mountPath: '/run/secrets/database', readOnly: true });
      mkdirSync(join(folder, 'database'));
      writeFileSync(join(folder, 'database/url'), databaseUrl, { mode: 0o440 });
    }
    const here = (n: number, publicPort: number) => ({
      [manifest.settingsOf('cluster-console').CONSOLE_MEMBERS!]: member.address,
      '/run/tls/tls.crt': certificate.certificateFile,
      '/run/tls/ca.crt': certificate.certificateFile,
      '/run/tls/tls.key': certificate.keyFile,
      '/run/secrets/cluster-console': join(folder, 'secrets'),
      '/run/secrets/database': join(folder, 'database'),
      '/etc/cluster-console/configuration': join(folder, 'configuration'),
      '/var/lib/cluster-console': join(folder, `volume-${n}`),
      'https://console.example.com': `https://localhost:${publicPort}`,
    });
    const managementPorts = new Map<number, number>();
    let url: number;
    return {
      folder,
      async startConsole(n: number, port: number, publicPort: number) {
        url = publicPort;
        const volume = join(folder, `volume-${n}`);
        mkdirSync(volume);
        // As the cluster makes a volume writable for the group.
        chmodSync(volume, 0o2770);
        const managementPort = await freePort();
        const started = await startDescribed({
          program: 'console',
          settings: manifest.settingsOf('cluster-console'),
          here: { ...here(n, publicPort), '8443': `${port}`, '9443': `${managementPort}` },
          dataDir: '',
        });
        stops.push(() => started.stop('SIGKILL'));
        managementPorts.set(n, managementPort);
        expect(await this.probe(n, 'startupProbe')).toBe(200);
        expect(await this.probe(n, 'readinessProbe')).toBe(200);
        return started;
      },
      /** @returns the status of the answer */
      async probe(n: number, kind: ProbeKind): Promise<number> {
        return probed(manifest.find('StatefulSet', 'cluster-console'), kind, managementPorts.get(n)!);
      },
      async startProxy(consolePort: number) {
        const port = await freePort();
        const started = await startDescribed({
          program: 'proxy',
          settings: manifest.settingsOf('cluster-proxy'),
          here: {
            ...here(0, url),
            'cluster-console.cluster-console.svc:8443': `localhost:${consolePort}`,
            '8443': `${port}`,
          },
          dataDir: join(folder, 'proxy'),
        });
        stops.push(() => started.stop('SIGKILL'));
        expect(await probed(manifest.find('Deployment', 'cluster-proxy'), 'readinessProbe', port)).toBe(200);
        return port;
      },
    };
  }

  async function probed(
    workload: Manifest['workloads'][number],
    kind: ProbeKind,
    port: number,
  ): Promise<number> {
    const { httpGet } = workload.spec.template.spec.containers[0][kind];
    return (await get(certificate.pem, port, httpGet.path)).status;
  }
});

type ProbeKind = 'startupProbe' | 'readinessProbe';

function writeFiles(folder: string, manifest: Manifest): void {
  const secrets = {
    'encryption-key': randomBytes(32).toString('base64'),
    'application-client-secret': clientSecret,
    'member-proxy': randomBytes(32).toString('hex'),
  };
  for (const path of ['secrets', 'configuration/secrets']) mkdirSync(join(folder, path), { recursive: true });
  for (const [name, value] of Object.entries(secrets))
    writeFileSync(join(folder, 'secrets', name), value, { mode: 0o440 });
  writeFileSync(join(folder, 'configuration/secrets/member-proxy'), secrets['member-proxy']);
  const files = manifest.find('ConfigMap', 'cluster-console-configuration').data as Record<string, string>;
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(folder, 'configuration', name), value);
}

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
