/**
 * What people and programs do at consoles that share a database, to be counted: sign-ins while consoles are killed, what is used
 * once used at all at once, tokens that are revoked. For tests, and for the bench that does it ten thousand times.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { clientSecret, machineToken } from '../helpers/console.ts';
import { authorize, dashboard, redeem, verifier } from '../helpers/sign-in.ts';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';
import { askAt, postTo, type Together } from './support.ts';

/** Codes of one sign-in; the next one is another person's browser. */
const codesPerSignIn = 50;
const longestMs = 5_000;

export interface KilledSignIns {
  readonly signIns: number;
  readonly kills: number;
  /** Of those that did not come about at their second try either. */
  readonly failed: readonly string[];
}

/** One console after the other is killed every so many seconds, and at least two are. */
export async function signInsWithKills(
  all: Together,
  { signIns, killSeconds }: { readonly signIns: number; readonly killSeconds: number },
): Promise<KilledSignIns> {
  let isOver = false;
  let [kills, done] = [0, 0];
  const killing = (async () => {
    for (let n = 0; !isOver; n = (n + 1) % all.consoles.length) {
      await delay(killSeconds * 1_000);
      if (isOver) break;
      await all.restart(n, 'SIGKILL');
      kills++;
    }
  })().finally(() => {
    isOver = true;
  });
  killing.catch(() => {});
  const failed: string[] = [];
  let left = Math.max(signIns, 1);
  const work = async () => {
    while (left-- > 0 || (kills < 2 && !isOver)) {
      const problem = await signInOrAgain(all.url);
      done++;
      if (problem !== undefined) failed.push(problem);
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  isOver = true;
  await killing;
  return { signIns: done, kills, failed };
}

/** A person tries once more. @returns why it does not come about */
export async function signInOrAgain(url: string, most = 2): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const callback = await authorize(createUserAgent(url));
      const code = callback.get('code');
      // A program asks again with the same code where no answer came.
      const tokens = await redeem({ url }, code).catch(() => redeem({ url }, code));
      if (tokens.status === 200) return undefined;
      throw new Error(`${tokens.status} ${tokens.body.error}`);
    } catch (error) {
      if (attempt === most) return String(error).slice(0, 300);
      await delay(300);
    }
  }
}

/** Codes, and the refresh tokens that they were good for, each at all consoles at once. @returns those with another number of successors than one */
export async function replayEverywhere(all: Together, replays: number): Promise<readonly string[]> {
  const publicPort = Number(new URL(all.url).port);
  const wrong: string[] = [];
  let left = replays;
  const work = async () => {
    for (let agent = createUserAgent(all.url), n = 1; left > 0; n++) {
      left -= 2;
      if (n % codesPerSignIn === 0) agent = createUserAgent(all.url);
      const problem = await replay(agent);
      if (problem !== undefined) wrong.push(problem);
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return wrong;

  async function replay(agent: UserAgent): Promise<string | undefined> {
    const code = (await authorize(agent)).get('code')!;
    const grant = { client_id: dashboard.clientId, redirect_uri: dashboard.redirectUri };
    const first = await atAll({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      ...grant,
    });
    const [given] = first;
    if (first.size !== 1) return `code: ${first.size}`;
    const next = await atAll({
      grant_type: 'refresh_token',
      refresh_token: given!,
      client_id: dashboard.clientId,
    });
    return next.size === 1 ? undefined : `refresh token: ${next.size}`;
  }

  /** @returns the refresh tokens that came of it */
  async function atAll(form: Readonly<Record<string, string>>): Promise<ReadonlySet<string>> {
    const answers = await Promise.all(
      all.consoles.map(({ port }) => postTo(port, publicPort, '/oauth2/token', form)),
    );
    return new Set(answers.flatMap(({ body }) => body.refresh_token ?? []));
  }
}

/**
 * @returns milliseconds from the answer to a revocation at one until another one refuses the token at its proxy
 * @throws {Error} when that takes longer than five seconds, or anything is answered otherwise
 */
export async function revocationTimes(all: Together, revocations: number): Promise<readonly number[]> {
  const publicPort = Number(new URL(all.url).port);
  const basic = { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` };
  const times: number[] = [];
  const { consoles } = all;
  for (let n = 0; n < revocations; n++) {
    const [at, other] = [consoles[n % consoles.length]!, consoles[(n + 1) % consoles.length]!];
    const token = await machineToken(all);
    const call = async () =>
      (
        await askAt(other.port, publicPort, 'GET', '/svc/rest/cluster', {
          Authorization: `Bearer ${token}`,
        })
      ).status;
    expectStatus(await call(), 200);
    expectStatus((await postTo(at.port, publicPort, '/oauth2/revoke', { token }, basic)).status, 200);
    const revokedAt = performance.now();
    while ((await call()) !== 401)
      if (performance.now() - revokedAt > longestMs) throw new Error('a revoked token is still taken');
    times.push(performance.now() - revokedAt);
  }
  return times;
}

function expectStatus(status: number, wanted: number): void {
  if (status !== wanted) throw new Error(`an answer has status ${status}, not ${wanted}`);
}
