/** `packaging/compose/`: read by the schema of compose files, and what holds of every container in it. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { compose, composeFolder, composeSchema, type Resource, toolsAreMissing } from './tools.ts';

const services = Object.entries<Resource>(compose.services);

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
  for (const name of ['console1', 'console2', 'proxy1', 'proxy2'])
    expect(compose.services[name].environment.CONSOLE_HOST).toBe('127.0.0.1');
  expect(compose.services.database.command).toContain('listen_addresses=127.0.0.1');
  const { hazelcast } = parse(readFileSync(join(composeFolder, 'hazelcast.yaml'), 'utf8'));
  expect(hazelcast.network.interfaces).toEqual({ enabled: true, interfaces: ['127.0.0.1'] });
  expect(hazelcast.properties['hazelcast.socket.bind.any']).toBe('false');
});

test('consoles differ by their ports and their volumes alone, and wait for the database', () => {
  const { console1, console2, database } = compose.services;
  const { CONSOLE_PORT, CONSOLE_MANAGEMENT_PORT, ...shared } = console1.environment;
  expect(console2.environment).toMatchObject(shared);
  expect([CONSOLE_PORT, CONSOLE_MANAGEMENT_PORT]).not.toEqual([
    console2.environment.CONSOLE_PORT,
    console2.environment.CONSOLE_MANAGEMENT_PORT,
  ]);
  expect(console1.volumes[0]).not.toBe(console2.volumes[0]);
  for (const { depends_on } of [console1, console2])
    expect(depends_on).toEqual({ database: { condition: 'service_healthy' } });
  expect(database.healthcheck.test[1]).toBe('pg_isready');
});

test('consoles and proxies have longer to end than their delay, whatever that is set to, and their own end take', () => {
  for (const name of ['console1', 'console2', 'proxy1', 'proxy2'])
    expect(Number.parseInt(compose.services[name].stop_grace_period, 10)).toBeGreaterThan(60 + 30);
});

test('secrets are files: no value stands in it, and each that is used is there', () => {
  for (const [name, { environment = {}, secrets = [] }] of services) {
    for (const [setting, value] of Object.entries(environment)) {
      if (!/SECRET|PASSWORD|KEY$|KEY_FILE|DATABASE_URL/.test(setting)) continue;
      expect([name, setting, value]).toEqual([
        name,
        expect.stringMatching(/_FILE$/),
        expect.stringMatching(/^\/run\/secrets\//),
      ]);
      expect(secrets).toContain((value as string).replace('/run/secrets/', ''));
    }
    expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining(secrets));
  }
});

test('what makes the database can be executed: otherwise the image would read it into its own script', () => {
  expect(statSync(join(composeFolder, 'database.sh')).mode & 0o111).toBe(0o111);
});
