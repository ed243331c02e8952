/** Consoles that are cut off from their database: what goes on, what is refused and how, and how soon all is back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret, machineToken } from '../helpers/console.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { type DatabaseNetwork, makeDatabaseNetwork, whyNoNetworks } from './database-network.ts';
import { askAt, postTo, startTogether, type Together, whyNotTogether } from './support.ts';
import { bearer, liveWithoutDatabase, stallingWays, type Ways } from './without-database.ts';

/** A full run: 60. */
const cutSeconds = Number(process.env.SHARED_PARTITION_SECONDS ?? 8);
/** Of a full run, on a quiet machine: 5. */
const backMs = process.env.SHARED_PARTITION_SECONDS ? 5_000 : 15_000;

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

  test(
    'machine tokens and calls of members go on, all else is 503 with Retry-After, and comes back by itself',
    async () => {
      const found = await liveWithoutDatabase(all, ways, { cutSeconds, backMs });
      expect(found.failed).toEqual([]);
      expect(found.done).toBeGreaterThan(cutSeconds * 3);
      expect(found.refused.length).toBeGreaterThan(0);
      for (const { what, answer } of found.refused) {
        expect([what, answer.status, answer.retryAfter]).toEqual([what, 503, expect.stringMatching(/^\d+$/)]);
        if (what !== 'refresh') expect(JSON.parse(answer.text).code).toBe('storage_unavailable');
      }
      if (process.env.SHARED_PARTITION_SECONDS)
        process.stdout.write(`back after ${Math.round(found.backMs)} ms\n`);
      // Nothing was used up: the refresh token of before is good, and nobody has made a role.
      expect(found.afterwards).toEqual({ refresh: 200, role: 404, account: 200 });
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
