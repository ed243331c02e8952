/** What `packaging/compose/` says starts: PostgreSQL, two consoles, two proxies, three members of the real engine, HAProxy. */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Front, fronts, startFront } from '../front/fronts.ts';
import { callFront, type Installation } from '../front/support.ts';
import { admin, clientSecret } from '../helpers/console.ts';
import { freePorts } from '../helpers/ports.ts';
import { postgresPrograms } from '../helpers/postgres.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, signedInTitle, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { jarOf, whyNoEngine } from '../peers/support/engine-members.ts';
import { startProgram } from '../peers/support/program.ts';
import { startDescribedPostgres } from './described-postgres.ts';
import { startDescribed } from './started.ts';
import { compose, composeFolder, type Resource } from './tools.ts';

const front: Front = fronts.find(({ name }) => name === 'HAProxy')!;
const missing =
  whyNoEngine ??
  front.missing ??
  (postgresPrograms === undefined ? ' (skipped: apt-get install postgresql)' : undefined) ??
  (opensslIsMissing && ` (skipped: ${opensslIsMissing})`);

type Started = Awaited<ReturnType<typeof startDescribed>>;
type ServiceName = 'console1' | 'console2' | 'proxy1' | 'proxy2';

describe.skipIf(missing)(`what the compose file says starts${missing ?? ''}`, () => {
  const stops: (() => Promise<unknown>)[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'compose-'));
  const secrets = join(folder, 'secrets');
  const running = new Map<ServiceName, Started>();
  let here: Readonly<Record<string, string>>;
  let memberPorts: readonly number[];
  let certificate: Certificate;
  let call: Installation['call'];
  let person: UserAgent;

  beforeAll(async () => {
    certificate = await makeCertificate();
    stops.push(() => certificate.remove());
    const [port = 0, plainPort = 0, insidePort = 0, databasePort = 0] = await freePorts(4);
    const [first = 0, firstManagement = 0, second = 0, secondManagement = 0] = await freePorts(4);
    const [proxy1 = 0, proxy2 = 0] = await freePorts(2);
    memberPorts = await freePorts(3);
    here = {
      'https://console.example.com': `https://localhost:${port}`,
      '/etc/cluster-console/configuration': join(folder, 'configuration'),
      '/run/secrets/member-proxy': join(folder, 'configuration/secrets/member-proxy'),
      '/run/secrets': secrets,
      ...Object.fromEntries(memberPorts.map((member, at) => [`${5701 + at}`, `${member}`])),
      ...{ '8079': `${insidePort}`, '8080': `${first}`, '9080': `${firstManagement}` },
      ...{ '8085': `${second}`, '9085': `${secondManagement}`, '8081': `${proxy1}`, '8082': `${proxy2}` },
    };
    writeSecrets(databasePort);
    const database = await startDescribedPostgres(databasePort, secrets);
    stops.push(async () => {
      await database.stop();
      rmSync(database.folder, { recursive: true, force: true });
    });
    await startMembers();
    for (const name of ['console1', 'console2'] as const) await start(name);
    const consoles = [
      { port: first, managementPort: firstManagement },
      { port: second, managementPort: secondManagement },
    ] as const;
    const { stop } = await startFront(front, {
      ...{ port, plainPort, insidePort, consoles, proxyPorts: [proxy1, proxy2], certificate },
    });
    stops.push(stop);
    call = callFront(port, certificate);
    for (const name of ['proxy1', 'proxy2'] as const) await start(name);
    await until(async () => (await call('GET', '/ready')).status === 200, 'the front', 30_000);
    // Who starts after the load balancer is asked for first, and gets calls a moment later.
    await until(async () => (await call('GET', '/svc/health')).status === 401, 'a proxy behind it', 30_000);
    person = createUserAgent(`https://localhost:${port}`, { ca: certificate.pem });
  }, 300_000);

  afterAll(async () => {
    for (const { stop } of [...running.values()].reverse()) await stop('SIGKILL');
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('consoles have nothing to warn of', () => {
    for (const name of ['console1', 'console2'] as const) {
      const lines = running.get(name)!.stderr().split('\n').filter(Boolean);
      const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
      expect(warnings.map(({ msg }) => msg)).toEqual([]);
    }
  });

  test('a person signs in, and what a machine writes is read at whichever member', async () => {
    expect(titleOf(await person.signIn(admin))).toMatch(signedInTitle);
    const token = await machineToken();
    const written = await call('POST', '/svc/rest/maps/compose/key', {
      ...{ token, body: 'value', headers: { 'content-type': 'text/plain' } },
    });
    expect(written.status).toBe(200);
    const health = JSON.parse((await call('GET', '/svc/health', { token })).body);
    expect(health).toMatchObject({ clusterSize: 3 });
    for (const memberPort of memberPorts) {
      const path = `/members/127.0.0.1:${memberPort}/svc/rest/maps/compose/key`;
      expect(await call('GET', path, { token })).toMatchObject({ status: 200, body: 'value' });
    }
  });

  test.each([
    ['console1', 'SIGKILL'],
    ['console2', 'SIGTERM'],
  ] as const)(
    '%s ends by %s: people stay signed in, tokens are issued and revoked, calls go on',
    async (name, signal) => {
      const before = await machineToken();
      await running.get(name)!.stop(signal);
      // In turn they would meet both.
      for (let n = 0; n < 4; n++) {
        expect((await person.get('/account')).status).toBe(200);
        const token = await machineToken();
        expect((await call('GET', '/svc/rest/maps/compose/key', { token })).body).toBe('value');
      }
      expect((await call('GET', '/svc/rest/maps/compose/key', { token: before })).body).toBe('value');
      const revoked = await call('POST', '/oauth2/revoke', form({ token: before }));
      expect(revoked.status).toBe(200);
      // Which the proxies hear of at the console that is left.
      const isRefused = async () =>
        (await call('GET', '/svc/rest/maps/compose/key', { token: before })).status === 401;
      await until(isRefused, 'a revoked token that is refused', 30_000);
      const another = createUserAgent(here['https://console.example.com']!, { ca: certificate.pem });
      expect(titleOf(await another.signIn(admin))).toMatch(signedInTitle);
      await start(name);
      // The load balancer asks it each second whether it is ready.
      await delay(2_500);
    },
    60_000,
  );

  async function start(name: ServiceName): Promise<void> {
    const program = name.startsWith('console') ? 'console' : 'proxy';
    const first = { CONSOLE_ADMIN_USERNAME: admin.username, CONSOLE_ADMIN_PASSWORD: admin.password };
    const settings = { ...compose.services[name].environment, ...(program === 'console' && first) };
    running.set(name, await startDescribed({ program, settings, here, dataDir: join(folder, name) }));
  }

  const form = (fields: Readonly<Record<string, string>>) => ({
    headers: {
      authorization: `Basic ${btoa(`application-client:${clientSecret}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(fields).toString(),
  });

  async function machineToken(): Promise<string> {
    const answer = await call('POST', '/oauth2/token', form({ grant_type: 'client_credentials' }));
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body).access_token;
  }

  async function startMembers(): Promise<void> {
    const said = readFileSync(join(composeFolder, 'hazelcast.yaml'), 'utf8');
    const own = memberPorts.reduce(
      (rest, port, at) => rest.replace(`127.0.0.1:${5701 + at}`, `127.0.0.1:${port}`),
      said,
    );
    const config = join(folder, 'hazelcast.yaml');
    writeFileSync(config, own);
    for (const port of memberPorts) {
      const options = (compose.services.member1.environment.JAVA_OPTS as string)
        .replace('5701', String(port))
        .split(' ');
      const small = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', `-Dhazelcast.config=${config}`];
      const member = await startProgram(
        'java',
        [...options, ...small, '-cp', jarOf('5.3.8'), 'com.hazelcast.core.server.HazelcastMemberStarter'],
        {},
        (output) => output.includes('is STARTED'),
      );
      stops.push(member.stop);
    }
  }

  /** As docs/kubernetes.md makes them. */
  function writeSecrets(databasePort: number): void {
    cpSync(join(composeFolder, 'configuration'), join(folder, 'configuration'), { recursive: true });
    mkdirSync(join(folder, 'configuration/secrets'), { recursive: true });
    mkdirSync(secrets);
    const databasePassword = randomBytes(32).toString('hex');
    const all = {
      'configuration/secrets/member-proxy': randomBytes(32).toString('hex'),
      'secrets/encryption-key': randomBytes(32).toString('base64'),
      'secrets/application-client-secret': clientSecret,
      'secrets/database-admin-password': randomBytes(32).toString('hex'),
      'secrets/database-password': databasePassword,
      'secrets/database-url': `postgres://console:${databasePassword}@127.0.0.1:${databasePort}/console`,
    };
    for (const [path, value] of Object.entries(all))
      writeFileSync(join(folder, path), value, { mode: 0o400 });
    const named = Object.values<Resource>(compose.secrets).map(({ file }) => file);
    expect(named.sort()).toEqual(
      Object.keys(all)
        .map((path) => `./${path}`)
        .sort(),
    );
  }
});
