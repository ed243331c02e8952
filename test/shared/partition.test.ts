/** Consoles that are cut off from their database: what goes on, what is refused and how, and how soon all is back. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, clientSecret, machineToken } from '../helpers/console.ts';
import { dashboard, signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { type CuttableWay, startCuttableWay } from './cuttable-way.ts';
import { type DatabaseNetwork, makeDatabaseNetwork, whyNoNetworks } from './database-network.ts';
import {
  type Answered,
  askAt,
  postTo,
  startTogether,
  type Together,
  type TogetherOptions,
  whyNotTogether,
} from './support.ts';

/** A full run: 60. */
const cutSeconds = Number(process.env.SHARED_PARTITION_SECONDS ?? 8);
/** Of a full run, on a quiet machine: 5. */
const backMs = process.env.SHARED_PARTITION_SECONDS ? 5_000 : 15_000;

/** What lies between the consoles and their database, before they are started, and what ends it. */
interface Ways {
  readonly options: Pick<TogetherOptions, 'postgres' | 'wayOf'>;
  cut(n: number): void;
  mend(n: number): void;
  close(): Promise<void>;
}

/** By a process between them, in the network of this machine. */
function stallingWays(): Ways {
  const ways = new Map<number, CuttableWay>();
  return {
    options: {
      async wayOf(n, port) {
        const way = ways.get(n) ?? (await startCuttableWay(port));
        ways.set(n, way);
        return { port: way.port };
      },
    },
    cut: (n) => ways.get(n)?.cut(),
    mend: (n) => ways.get(n)?.mend(),
    close: async () => void (await Promise.all([...ways.values()].map((way) => way.close()))),
  };
}

/** By the links between network namespaces, with TLS: no address of these is of this machine. */
async function links(): Promise<Ways> {
  const network: DatabaseNetwork = makeDatabaseNetwork();
  const hosts = [0, 1].map(network.hostOf);
  const certificate: Certificate = await makeCertificate(
    'ec',
    hosts.map((host) => `IP:${host}`),
  );
  return {
    options: {
      postgres: { network: network.network, certificate },
      wayOf: async (n, port) => ({ host: hosts[n]!, port, authority: certificate.certificateFile }),
    },
    cut: network.cut,
    mend: network.mend,
    async close() {
      network.close();
      await certificate.remove();
    },
  };
}

describe.each([
  ['by a process that lets nothing through', undefined, stallingWays],
  ['by links between network namespaces', whyNoNetworks ?? skipped(opensslIsMissing), links],
] as const)('consoles that are cut off from their database %s%s', (_, whyNot, makeWays) => {
  describe.skipIf((whyNotTogether ?? whyNot) !== undefined)(`and come back${whyNotTogether ?? ''}`, () => {
    cutOff(makeWays);
  });
});

function skipped(why: string | undefined): string | undefined {
  return why === undefined ? undefined : ` (skipped: ${why})`;
}

function cutOff(makeWays: () => Ways | Promise<Ways>): void {
  let all: Together;
  let ways: Ways;
  let publicPort: number;
  const both = [0, 1];
  beforeAll(async () => {
    ways = await makeWays();
    all = await startTogether({ count: both.length, ...ways.options });
    publicPort = Number(new URL(all.url).port);
  }, 300_000);
  afterAll(async () => {
    for (const n of both) ways?.mend(n);
    await all?.stop();
    await ways?.close();
  }, 120_000);

  const basic = { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  test(
    'machine tokens and calls of members go on, all else is 503 with Retry-After, and comes back by itself',
    async () => {
      const agent = createUserAgent(all.url);
      const tokens = await signInForTokens(all, agent);
      const [member, api] = [await machineToken(all), await apiToken(all)];
      // Each console has seen the client and the token: what it knows it goes on with.
      for (const { port } of all.consoles)
        for (const answer of await Promise.all([newToken(port), call(port)])) expect(answer.status).toBe(200);

      for (const n of both) ways.cut(n);
      const until = performance.now() + cutSeconds * 1000;
      const failed: string[] = [];
      let done = 0;
      const go = async (what: string, ask: (port: number) => Promise<Answered>) => {
        for (let n = 0; performance.now() < until; n++) {
          const { status, text } = await ask(all.consoles[n % 2]!.port);
          if (status === 200) done++;
          else failed.push(`${what}: ${status} ${text}`);
          await delay(10);
        }
      };
      const refused: { readonly what: string; readonly answer: Answered }[] = [];
      const others = async () => {
        while (performance.now() < until) {
          for (const { port } of all.consoles) {
            const form = {
              grant_type: 'refresh_token',
              client_id: dashboard.clientId,
              refresh_token: tokens.refresh_token,
            };
            refused.push({ what: 'refresh', answer: await postTo(port, publicPort, '/oauth2/token', form) });
            refused.push({ what: 'api', answer: await ask(port, '/api/v1/users', bearer(api)) });
            const change = JSON.stringify({ id: 'never', permissions: ['svc:map:read'] });
            const type = { 'Content-Type': 'application/json', ...bearer(api) };
            refused.push({
              what: 'change',
              answer: await askAt(port, publicPort, 'POST', '/api/v1/roles', type, change),
            });
          }
        }
      };
      await Promise.all([go('token', newToken), go('call', call), go('call', call), others()]);
      expect(failed).toEqual([]);
      expect(done).toBeGreaterThan(cutSeconds * 3);
      expect(refused.length).toBeGreaterThan(0);
      for (const { what, answer } of refused) {
        expect([what, answer.status, answer.retryAfter]).toEqual([what, 503, expect.stringMatching(/^\d+$/)]);
        if (what !== 'refresh') expect(JSON.parse(answer.text).code).toBe('storage_unavailable');
      }

      for (const n of both) ways.mend(n);
      const mendedAt = performance.now();
      const isBack = async ({ port }: { readonly port: number }) => {
        for (const path of ['/ready', '/api/v1/users'])
          if ((await ask(port, path, bearer(api))).status !== 200) return false;
        return true;
      };
      for (const console of all.consoles)
        while (!(await isBack(console))) expect(performance.now() - mendedAt).toBeLessThan(backMs);
      if (process.env.SHARED_PARTITION_SECONDS)
        process.stdout.write(`back after ${Math.round(performance.now() - mendedAt)} ms\n`);
      // Nothing was used up: the refresh token of before is good, and nobody has made a role.
      const form = { client_id: dashboard.clientId, refresh_token: tokens.refresh_token };
      const { port } = all.consoles[0]!;
      const again = await postTo(port, publicPort, '/oauth2/token', { grant_type: 'refresh_token', ...form });
      expect(again.status).toBe(200);
      expect((await ask(port, '/api/v1/roles/never', bearer(api))).status).toBe(404);
      expect((await agent.get('/account')).status).toBe(200);

      function newToken(port: number): Promise<Answered> {
        return postTo(port, publicPort, '/oauth2/token', { grant_type: 'client_credentials' }, basic);
      }
      function call(port: number): Promise<Answered> {
        return ask(port, '/svc/rest/cluster', bearer(member));
      }
      function ask(port: number, path: string, headers: Readonly<Record<string, string>>) {
        return askAt(port, publicPort, 'GET', path, headers);
      }
    },
    120_000 + cutSeconds * 2_000,
  );

  test('one that alone is cut off learns of a revocation when it is back, and nothing of before comes again', async () => {
    const [one, other] = [all.consoles[0]!, all.consoles[1]!];
    const token = await machineToken(all);
    const call = () => askAt(other.port, publicPort, 'GET', '/svc/rest/cluster', bearer(token));
    expect((await call()).status).toBe(200);
    ways.cut(1);
    expect((await postTo(one.port, publicPort, '/oauth2/revoke', { token }, basic)).status).toBe(200);
    expect((await askAt(one.port, publicPort, 'GET', '/svc/rest/cluster', bearer(token))).status).toBe(401);
    ways.mend(1);
    const mendedAt = performance.now();
    while ((await call()).status !== 401) expect(performance.now() - mendedAt).toBeLessThan(backMs);
  }, 60_000);
}
