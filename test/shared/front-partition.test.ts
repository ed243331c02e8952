/**
 * One console of two loses its way to the database, as a cable is cut, behind HAProxy as `packaging/front/` configures it:
 * tokens and calls go on without a failure, people sign in at the other one, and it is back soon after.
 * SHARED_PARTITION_SECONDS, on a quiet machine: a cut of so long, and 5 s to be back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fronts } from '../front/fronts.ts';
import { admin } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, signedInTitle, titleOf } from '../helpers/user-agent.ts';
import { type Certificate, makeCertificate } from '../peers/support/certificate.ts';
import { type DatabaseNetwork, makeDatabaseNetwork, whyNoNetworks } from './database-network.ts';
import { requestsThrough } from './front-requests.ts';
import { type SharedInstallation, startSharedInstallation, whyNotShared } from './installation.ts';
import { startLoad, tried } from './load.ts';

const front = fronts.find(({ name }) => name === 'HAProxy')!;
const missing = whyNotShared(front) ?? whyNoNetworks;
const cutSeconds = Number(process.env.SHARED_PARTITION_SECONDS ?? 5);
const backMs = process.env.SHARED_PARTITION_SECONDS ? 5_000 : 15_000;
/** Of people whose sign-in a busy machine does not store in time: they are asked to come again. */
const patience = process.env.SHARED_PARTITION_SECONDS ? 0 : 5;
const signIns = 4;

describe.skipIf(missing)(`a network that parts one console from the database${missing ?? ''}`, () => {
  let network: DatabaseNetwork;
  let certificate: Certificate;
  let set: SharedInstallation;
  beforeAll(async () => {
    network = makeDatabaseNetwork();
    const hosts = [0, 1].map(network.hostOf);
    certificate = await makeCertificate(
      'ec',
      hosts.map((host) => `IP:${host}`),
    );
    set = await startSharedInstallation(front, {
      postgres: { network: network.network, certificate },
      wayOf: (n, port) => ({ host: hosts[n]!, port, authority: certificate.certificateFile }),
    });
  }, 180_000);
  afterAll(async () => {
    network?.mend(1);
    await set?.stop();
    network?.close();
    await certificate?.remove();
  }, 60_000);

  test(
    'fails no token and no call, gives it no sign-in, and is over soon after',
    async () => {
      const works = (await requestsThrough(set)).filter(([kind]) => kind !== 'sign-in page');
      const load = startLoad(works, { pauseMs: 5 });
      try {
        const begun = set.output().length;
        for (const n of [1, 2])
          await until(
            async () =>
              new RegExp(`/oauth2/token" 200 .* consoles/console${n} `).test(set.output().slice(begun)),
            'tokens of both',
            30_000,
          );
        network.cut(1);
        await until(async () => (await set.readiness(1)) === 503, 'it not to be ready', 30_000);
        await until(
          async () => isSaid('Server consoles/console2 is DOWN', begun),
          'it to be left out',
          30_000,
        );
        expect(await set.readiness(0)).toBe(200);

        const cut = set.output().length;
        const cutAt = performance.now();
        for (let n = 0; n < signIns || performance.now() - cutAt < cutSeconds * 1000; n++) {
          expect(await tried(signIn, patience)).toBeUndefined();
          await delay(50);
        }
        const lines = set.output().slice(cut).split('\n');
        const pages = lines.filter((line) => /"(?:GET|POST) \/(?:login|account)/.test(line));
        expect(pages.length).toBeGreaterThanOrEqual(2 * signIns);
        expect(pages.filter((line) => line.includes(' consoles/console2 '))).toEqual([]);

        network.mend(1);
        const mendedAt = performance.now();
        while ((await set.readiness(1)) !== 200) expect(performance.now() - mendedAt).toBeLessThan(backMs);
        await until(
          async () => isSaid('Server consoles/console2 is UP', cut),
          'it to get requests again',
          30_000,
        );
      } finally {
        network.mend(1);
      }
      const { failed, byKind } = await load.stop();
      expect(failed, set.output().slice(-5_000)).toEqual([]);
      for (const [kind, done] of Object.entries(byKind)) expect([kind, done > 0]).toEqual([kind, true]);
    },
    120_000 + cutSeconds * 1_000,
  );

  async function signIn(): Promise<string | undefined> {
    const person = createUserAgent(set.url, { ca: set.certificate.pem });
    const title = titleOf(await person.signIn(admin));
    if (/store cannot be written/.test(title)) return `storage_unavailable: ${title}`;
    const { status } = await person.get('/account');
    return signedInTitle.test(title) && status === 200 ? undefined : `${title}, then ${status}`;
  }

  /** By the load balancer's own log. */
  function isSaid(what: string, from: number): boolean {
    return set.output().includes(what, from);
  }
});
