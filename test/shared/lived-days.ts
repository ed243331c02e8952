/**
 * Days that consoles and their database live through: people sign in, refresh and sign out, or leave it at that, machines ask for
 * tokens, somebody guesses, at the same rate all along, and the time of both is moved on. What has expired goes by the rounds
 * of whichever console leads, and what is free in the tables by PostgreSQL's own clean-up. The audit is left out: its entries
 * stay for as long as a setting says, and how they go is tested in `test/audit/postgres/retention.test.ts`.
 */
import { clientSecret, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { makeProof, newClientKey } from '../helpers/dpop.ts';
import { type LoadBalancer, startLoadBalancer } from '../helpers/load-balancer.ts';
import { type Postgres, startPostgres } from '../helpers/postgres.ts';
import { authorizationPath, authorize, redeem, refresh } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type MovedTime, startMovedTime } from './moved-time.ts';

export interface LivedDaysOptions {
  readonly days: number;
  /** The time is moved on by so much at once. */
  readonly stepMinutes: number;
  /** Sign-ins between two such steps; of all else there is so much as belongs to that. */
  readonly signIns: number;
}

/** Of the tables at one moment, what has expired being gone. */
export interface TableSizes {
  readonly hours: number;
  readonly byTable: Readonly<Record<string, { readonly rows: number; readonly bytes: number }>>;
}

/** In all tables. */
export interface Growth {
  readonly rows: number;
  readonly bytes: number;
}

/**
 * What the tables have in the second half of the last day, to what they had in its first half. Nothing lives longer than a
 * day, so that they are level from the second day on.
 */
export function growthIn(sizes: readonly TableSizes[]): Growth {
  const end = sizes.at(-1)!.hours;
  const mean = (from: number, to: number, what: 'rows' | 'bytes') => {
    const taken = sizes.filter(({ hours }) => hours > from && hours <= to);
    return taken.reduce((sum, { byTable }) => sum + totalOf(byTable, what), 0) / taken.length;
  };
  const growth = (what: 'rows' | 'bytes') => mean(end - 12, end, what) / mean(end - 24, end - 12, what);
  return { rows: growth('rows'), bytes: growth('bytes') };
}

export function totalOf(byTable: TableSizes['byTable'], what: 'rows' | 'bytes'): number {
  return Object.values(byTable).reduce((sum, table) => sum + table[what], 0);
}

interface Scene {
  readonly time: MovedTime;
  readonly postgres: Postgres;
  readonly database: string;
  readonly front: LoadBalancer;
  readonly consoles: readonly RunningConsole[];
}

export async function liveDays(options: LivedDaysOptions): Promise<readonly TableSizes[]> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const time = await startMovedTime();
    closing.push(time.close);
    const postgres = await startPostgres({
      environment: time.environment,
      // It looks each minute by itself, and an hour is less than a minute here; and waits for 50 rows beside a fifth of the table,
      // which is as much as a small day has.
      settings: ['autovacuum_naptime=1s', 'autovacuum_vacuum_threshold=1'],
    });
    closing.push(postgres.close);
    const front = await startLoadBalancer();
    closing.push(front.close);
    const database = await postgres.createDatabase();
    const consoles: RunningConsole[] = [];
    closing.push(() => Promise.all(consoles.map((console) => console.stop())));
    for (let n = 0; n < 2; n++)
      consoles.push(
        await startConsole({
          isFirstStart: true,
          port: await freePort(),
          env: {
            ...time.environment,
            NODE_OPTIONS: `--import=${new URL('./rounds-often.mjs', import.meta.url).pathname}`,
            CONSOLE_URL: front.url,
            CONSOLE_DATABASE_URL: postgres.url(database),
          },
        }),
      );
    front.choose(...consoles.map(({ port }) => port));
    return await live({ time, postgres, database, front, consoles }, options);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function live(scene: Scene, { days, stepMinutes, signIns }: LivedDaysOptions): Promise<TableSizes[]> {
  const sizes: TableSizes[] = [];
  const steps = Math.round((days * 24 * 60) / stepMinutes);
  for (let step = 1; step <= steps; step++) {
    await liveStep(scene, signIns);
    scene.time.move(stepMinutes * 60);
    await untilExpiredIsGone(scene);
    await untilCleanedUp(scene);
    sizes.push({ hours: (step * stepMinutes) / 60, byTable: await tableSizes(scene) });
  }
  return sizes;
}

async function liveStep({ front, time }: Scene, signIns: number): Promise<void> {
  const key = await newClientKey();
  for (let n = 0; n < signIns; n++) {
    const agent = createUserAgent(front.url);
    const { body: tokens, status } = await redeem(front, (await authorize(agent)).get('code'));
    if (status !== 200) throw new Error(`no tokens: ${status}`);
    const { body: again, status: renewed } = await refresh(front, tokens.refresh_token);
    if (renewed !== 200) throw new Error(`no refresh: ${renewed}`);
    // Half of them sign out, and the others are not seen again.
    if (n % 2 === 0)
      await agent.follow(
        await agent.get(`/connect/logout?${new URLSearchParams({ id_token_hint: again.id_token })}`),
      );
    // Somebody who gets no further than the form, and one who guesses.
    const stranger = createUserAgent(front.url);
    const page = await stranger.follow(await stranger.get(authorizationPath()));
    if (n % 2 === 0) await stranger.submit(page, { username: `nobody-${n}`, password: 'a-guess' });
    const token = await tokenOf({ grant_type: 'client_credentials' });
    await post('/oauth2/revoke', { token });
    const iat = Math.floor(time.now() / 1000);
    const proof = await makeProof(key, { url: `${front.url}/oauth2/token`, claims: { iat } });
    await tokenOf({ grant_type: 'client_credentials' }, { DPoP: proof });
    await post('/oauth2/device_authorization', { client_id: 'console-cli', scope: 'openid' });
  }

  async function tokenOf(form: Record<string, string>, headers = {}): Promise<string> {
    return ((await (await post('/oauth2/token', form, headers)).json()) as { access_token: string })
      .access_token;
  }

  async function post(path: string, form: Record<string, string>, headers = {}): Promise<Response> {
    const basic = { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` };
    const answer = await fetch(front.url + path, {
      method: 'POST',
      headers: { ...('client_id' in form ? {} : basic), ...headers },
      body: new URLSearchParams(form),
    });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }
}

/** The lease has run out for whoever led, so it is seconds until somebody does. */
async function untilExpiredIsGone({ postgres, database }: Scene): Promise<void> {
  const isGone = async () => {
    const [row] = await postgres.query<{ n: string }>(
      database,
      `select (select count(*) from artifact where expires_at <= extract(epoch from now()))
        + (select count(*) from replay where ends_at < now())
        + (select count(*) from change where at < now() - interval '1 day') as n`,
    );
    return row!.n === '0';
  };
  await until(isGone, 'the end of what has expired', 60_000);
}

/** By autovacuum, as far as it goes by itself. */
async function untilCleanedUp({ postgres, database }: Scene): Promise<void> {
  const isClean = async () => {
    const [row] = await postgres.query<{ n: string }>(
      database,
      `select count(*) as n from pg_stat_user_tables
        where schemaname = '${database}' and relname in ('artifact', 'replay', 'change', 'pace')
          and n_dead_tup > 1 + 0.2 * (n_live_tup + n_dead_tup)`,
    );
    return row!.n === '0';
  };
  await until(isClean, 'the clean-up of tables', 60_000);
}

async function tableSizes({ postgres, database }: Scene): Promise<TableSizes['byTable']> {
  const tables = await postgres.query<{ name: string; bytes: string }>(
    database,
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
      where relnamespace = '${database}'::regnamespace and relkind = 'r' and relname not like 'audit%'`,
  );
  const counts = await postgres.query<Record<string, string>>(
    database,
    `select ${tables.map(({ name }) => `(select count(*) from ${name}) as ${name}`).join(', ')}`,
  );
  return Object.fromEntries(
    tables.map(({ name, bytes }) => [name, { rows: Number(counts[0]![name]), bytes: Number(bytes) }]),
  );
}
