/** A member that is drained at one of two consoles on PostgreSQL gets no calls of the other one, nor of a proxy that hears the other one, a second later. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi } from '../helpers/management.ts';
import { freePort } from '../helpers/ports.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { type EmbeddedMember, startEmbeddedMember } from '../peers/support/embedded-member.ts';
import { lastCallsAtDrained } from './drained-time.ts';
import { type RunningProxy, startProxy } from './support.ts';

const missing = postgresPrograms === undefined ? ' (skipped: apt-get install postgresql)' : '';

describe.skipIf(missing !== '')(`two consoles on PostgreSQL and a proxy${missing}`, () => {
  let postgres: Postgres;
  let members: EmbeddedMember[];
  let consoles: RunningConsole[];
  let proxy: RunningProxy;
  const addressOf = ({ address }: EmbeddedMember) => `http://${address.replace(/^http:\/\//, '')}`;

  beforeAll(async () => {
    postgres = await startPostgres();
    members = [];
    for (const n of [0, 1]) {
      const member = await startEmbeddedMember(['DATA', 'CLUSTER_READ']);
      members.push(member);
      const put = await fetch(`${addressOf(member)}/svc/rest/maps/who/key`, {
        method: 'POST',
        body: `member ${n}`,
      });
      expect(put.status).toBe(200);
    }
    const databaseUrl = postgres.url(await postgres.createDatabase());
    const ports = [await freePort(), await freePort()];
    const url = `http://localhost:${ports[0]}`;
    const env = {
      CONSOLE_URL: url,
      CONSOLE_DATABASE_URL: databaseUrl,
      CONSOLE_MEMBERS: members.map(addressOf).join(),
    };
    consoles = [];
    for (const port of ports) consoles.push(await startConsole({ isFirstStart: true, port, env }));
    const client = { id: 'member-proxy', secret: 'secret-of-a-member-proxy-0123456789' };
    await callApi(consoles[0]!, 'POST', '/clients', {
      ...client,
      scopes: ['api:revocations:read', 'api:refusals:write'],
    });
    proxy = await startProxy({
      ...{ console: { url }, client, members: members.map(addressOf) },
      // It hears the console at which nobody drains.
      env: { CONSOLE_JWKS_URI: `http://localhost:${ports[1]}/oauth2/jwks` },
    });
  }, 180_000);
  afterAll(async () => {
    await proxy?.stop();
    for (const console of consoles ?? []) await console.stop();
    for (const member of members ?? []) await member.stop();
    await postgres?.close();
  }, 60_000);

  test('give it no calls within a second', async () => {
    const token = await machineToken(consoles[0]!);
    const { host } = new URL(addressOf(members[0]!));
    const places = [
      { url: `http://localhost:${consoles[0]!.port}` },
      { url: `http://localhost:${consoles[1]!.port}` },
      proxy,
    ];
    const change = (way: string) => callApi(consoles[0]!, 'POST', `/members/${host}/${way}`);
    const lasts = await lastCallsAtDrained(places, token, {
      ...{ path: '/svc/rest/maps/who/key', answer: 'member 0' },
      drain: () => change('drain'),
      undrain: () => change('undrain'),
    });
    expect(Math.max(...lasts), JSON.stringify(lasts)).toBeLessThan(1_000);
  }, 120_000);
});
