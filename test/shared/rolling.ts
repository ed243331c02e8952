/** Consoles that share a database, and the proxies beside them, exchanged one by one while clients ask all the time. */
import { setTimeout as delay } from 'node:timers/promises';
import { apiToken, clientSecret, machineToken, type RunningConsole } from '../helpers/console.ts';
import { type RelyingParty, signInTo } from '../helpers/relying-party.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import type { ProxyClient } from '../proxy/support.ts';
import { requestsOf } from './clients.ts';
import { type Load, type LoadOutcome, startLoad, tried } from './load.ts';
import { type SeparateProxies, untilTaken } from './separate-proxies.ts';
import { askAt, postTo, type Together } from './support.ts';

export interface RollingOptions {
  readonly all: Together;
  readonly proxies: SeparateProxies;
  readonly party: RelyingParty;
  /** On a quiet machine: nobody asks a second time, and answers are there within five seconds. */
  readonly isFull: boolean;
  /** Of each run. */
  readonly seconds: number;
  /** Requests that fail are counted, and are no error. */
  readonly mayFail?: boolean;
}

export interface Rolling {
  /**
   * @param roll  calls `after` whenever another process has begun to serve
   * @throws {Error} when a request has failed, unless it may
   */
  underLoad(what: string, roll: (after: () => Promise<void>) => Promise<void>): Promise<LoadOutcome>;
  /** As docs/operations.md says. */
  exchange(n: number, script?: string): Promise<void>;
}

/** Requests that go through beside each mixture. */
const fewest = 40;
const most = { steps: 10 } as const;

export function createRolling(options: RollingOptions): Rolling {
  const { all, proxies, party, isFull, seconds, mayFail = false } = options;
  const publicPort = Number(new URL(all.url).port);
  /** As clients have it that are asked to come again. */
  const patience = isFull ? 0 : 5;
  const answerMs = isFull ? 5_000 : 20_000;
  /** Of each client between two requests: the machine has consoles to start. */
  const pauseMs = isFull ? 20 : 50;
  const ended: RunningConsole[] = [];

  return {
    async underLoad(what, roll) {
      const load = startLoad(await requestsOf(all.url, proxies.url), { pauseMs, patience });
      const outcome = await roll(() => beside(load)).then(load.stop, async (error: unknown) => {
        const { failed } = await load.stop();
        throw new Error(`${what}: ${failed.length} failed, ${failed.slice(0, 5).join('\n')}`, {
          cause: error,
        });
      });
      process.stdout.write(
        `${what}: ${JSON.stringify(outcome.byKind)}, ${outcome.failed.length} failed, ${outcome.askedAgain} asked again\n`,
      );
      if (outcome.failed.length > 0 && !mayFail)
        throw new Error(`${outcome.failed.slice(0, 5).join('\n')}\n${saidMeanwhile()}`);
      const missing = Object.keys(outcome.byKind).filter((kind) => outcome.byKind[kind] === 0);
      if (missing.length > 0) throw new Error(`nothing came through of ${missing.join(', ')}`);
      return outcome;
    },
    async exchange(n, script) {
      ended.push(all.consoles[n]!);
      await all.front.drain(n);
      await untilTaken(`http://127.0.0.1:${all.consoles[n]!.port}`);
      await all.restart(n, 'SIGTERM', script);
      await all.front.undrain(n);
    },
  };

  /** Errors of consoles, those that have ended too, and what the proxies report. */
  function saidMeanwhile(): string {
    const errors = [...ended, ...all.consoles].flatMap(({ log }) =>
      log().filter(({ level }) => level === 'error'),
    );
    const reports = proxies.all.flatMap(({ log }) => log().filter((line) => !('audit' in line)));
    return [...errors, ...reports.slice(-10)].map((line) => JSON.stringify(line).slice(0, 1_500)).join('\n');
  }

  /** What one version writes the others know. */
  async function beside(load: Load): Promise<void> {
    const before = load.done();
    const begun = performance.now();
    const problems = await Promise.all(
      [revokedIsDenied, signOutIsReported].map((work) => tried(async () => void (await work()), patience)),
    );
    for (const problem of problems) if (problem !== undefined) throw new Error(problem);
    await until(async () => load.done() > before + fewest, 'requests beside the new one', 30_000);
    await delay(Math.max(0, (seconds * 1_000) / most.steps - (performance.now() - begun)));
  }

  async function revokedIsDenied(): Promise<void> {
    const token = await machineToken(all);
    const authorization = { Authorization: `Bearer ${token}` };
    const ports = [...all.consoles, ...proxies.all.map(({ url }) => ({ port: Number(new URL(url).port) }))];
    const statuses = async () =>
      Promise.all(
        ports.map(({ port }) => askAt(port, publicPort, 'GET', '/svc/rest/cluster', authorization)),
      ).then((answers) => answers.map(({ status }) => status));
    await until(async () => (await statuses()).every((status) => status === 200), 'answers of all', answerMs);
    const basic = { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` };
    const revoked = await postTo(publicPort, publicPort, '/oauth2/revoke', { token }, basic);
    if (revoked.status !== 200) throw new Error(`a revocation: ${revoked.status} ${revoked.text}`);
    await until(
      async () => (await statuses()).every((status) => status === 401),
      'a refusal by all',
      answerMs,
    );
  }

  async function signOutIsReported(): Promise<void> {
    const agent = createUserAgent(all.url);
    const { id_token } = await signInTo(all, agent, party);
    const before = party.posted.length;
    const query = new URLSearchParams({ id_token_hint: id_token });
    await agent.follow(await agent.get(`/connect/logout?${query}`));
    await until(async () => party.posted.length > before, 'the notice of a sign-out', 20_000);
  }
}

/** The application that is told of sign-outs, and the client of the proxies. @returns that client */
export async function registerWith(all: Together, party: RelyingParty): Promise<ProxyClient> {
  const client = { id: 'member-proxy', secret: 'secret-of-a-member-proxy-0123456789' };
  const scopes = ['api:revocations:read', 'api:refusals:write'];
  await add('/clients', { ...client, scopes });
  await add('/applications', {
    id: party.id,
    isPublic: true,
    firstParty: true,
    redirectUris: party.client.redirectUris,
    postLogoutUris: party.client.postLogoutRedirectUris,
    backchannelLogoutUri: party.client.backchannelLogoutUri,
    scopes: party.client.scopes,
    maxRoles: party.client.maxRoles,
  });
  return client;

  async function add(path: string, body: object): Promise<void> {
    const answer = await fetch(`${all.url}/api/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await apiToken(all)}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  }
}
