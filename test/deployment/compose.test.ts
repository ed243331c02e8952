/** `packaging/compose/`: read by the schema of compose files, and started by what it says, with members of the real engine. */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fronts, startFront } from '../front/fronts.ts';
import { callFront } from '../front/support.ts';
import { clientSecret } from '../helpers/console.ts';
import { freePort, freePorts } from '../helpers/ports.ts';
import { until } from '../helpers/store.ts';
import { makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { jarOf, whyNoEngine } from '../peers/support/engine-members.ts';
import { startProgram } from '../peers/support/program.ts';
import { startDescribed } from './started.ts';
import { composeFolder, composeSchema, type Resource, toolsAreMissing } from './tools.ts';

const file = join(composeFolder, 'compose.yaml');
const text = readFileSync(file, 'utf8');
/** With defaults in place of variables of a shell. */
const compose = parse(
  text.replace(/\$\{\w+:-([^}]*)\}/g, (_, value: string) => value),
  { merge: true },
);
const services = Object.entries<Resource>(compose.services);
const front = fronts.find(({ name }) => name === 'HAProxy')!;
const missing = whyNoEngine ?? front.missing ?? (opensslIsMissing && ` (skipped: ${opensslIsMissing})`);

test.skipIf(toolsAreMissing)(`the schema of compose files knows every field${toolsAreMissing ?? ''}`, () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(composeSchema());
  expect([validate(compose), validate.errors]).toEqual([true, null]);
  expect(validate({ services: { console: { imagine: 'x' } } })).toBe(false);
});

test.each(services)(
  '%s writes to its volumes alone, and has no rights that it does not need',
  (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges'],
      network_mode: 'host',
    });
    expect(service.cap_add).toEqual(name === 'front' ? ['NET_BIND_SERVICE'] : undefined);
  },
);

test('everything but the load balancer listens on loopback', () => {
  for (const name of ['console', 'proxy1', 'proxy2'])
    expect(compose.services[name].environment.CONSOLE_HOST).toBe('127.0.0.1');
  const { hazelcast } = parse(readFileSync(join(composeFolder, 'hazelcast.yaml'), 'utf8'));
  expect(hazelcast.network.interfaces).toEqual({ enabled: true, interfaces: ['127.0.0.1'] });
  expect(hazelcast.properties['hazelcast.socket.bind.any']).toBe('false');
});

describe.skipIf(missing)(`what it says starts${missing ?? ''}`, () => {
  const stops: (() => Promise<unknown>)[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'compose-'));
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('three members, console, two proxies and the load balancer: a write is read at whichever member', async () => {
    const certificate = await makeCertificate();
    stops.push(() => certificate.remove());
    const [port, plainPort] = [await freePort(), await freePort()];
    const [consolePort = 0, proxy1 = 0, proxy2 = 0, ...memberPorts] = await freePorts(6);
    const here = {
      'https://console.example.com': `https://localhost:${port}`,
      '/etc/cluster-console/configuration': join(folder, 'configuration'),
      '/run/secrets/member-proxy': join(folder, 'configuration/secrets/member-proxy'),
      '/run/secrets': join(folder, 'secrets'),
      '5701': `${memberPorts[0]}`,
      '5702': `${memberPorts[1]}`,
      '5703': `${memberPorts[2]}`,
      '8080': `${consolePort}`,
      '8081': `${proxy1}`,
      '8082': `${proxy2}`,
    };
    await startMembers(memberPorts);
    writeSecrets();
    for (const [name, program] of [
      ['console', 'console'],
      ['proxy1', 'proxy'],
      ['proxy2', 'proxy'],
    ] as const) {
      const settings = compose.services[name].environment;
      const { stop } = await startDescribed({ program, settings, here, dataDir: join(folder, name) });
      stops.push(stop);
    }
    const proxyPorts = [proxy1, proxy2] as const;
    const { stop } = await startFront(front, { port, plainPort, consolePort, proxyPorts, certificate });
    stops.push(stop);

    const call = callFront(port, certificate);
    await until(async () => (await call('GET', '/ready')).status === 200, 'the front', 30_000);
    const answer = await call('POST', '/oauth2/token', {
      headers: {
        authorization: `Basic ${btoa(`application-client:${clientSecret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    const token = JSON.parse(answer.body).access_token;
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
  }, 300_000);

  async function startMembers(ports: readonly number[]): Promise<void> {
    const said = readFileSync(join(composeFolder, 'hazelcast.yaml'), 'utf8');
    const own = ports.reduce(
      (rest, port, at) => rest.replace(`127.0.0.1:${5701 + at}`, `127.0.0.1:${port}`),
      said,
    );
    const config = join(folder, 'hazelcast.yaml');
    writeFileSync(config, own);
    for (const port of ports) {
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

  function writeSecrets(): void {
    cpSync(join(composeFolder, 'configuration'), join(folder, 'configuration'), { recursive: true });
    mkdirSync(join(folder, 'configuration/secrets'), { recursive: true });
    mkdirSync(join(folder, 'secrets'));
    const secrets = {
      'configuration/secrets/member-proxy': randomBytes(32).toString('hex'),
      'secrets/encryption-key': randomBytes(32).toString('base64'),
      'secrets/application-client-secret': clientSecret,
    };
    for (const [path, value] of Object.entries(secrets)) {
      writeFileSync(join(folder, path), value, { mode: 0o400 });
      expect(Object.values<Resource>(compose.secrets).map((one) => one.file)).toContain(`./${path}`);
    }
  }
});
