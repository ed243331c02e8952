/** One store in a process of its own: `fill` it, or `measure` it and say so in one line of JSON. */
import { mkdirSync, readFileSync } from 'node:fs';
import { artifactKey } from '../../console/storage/digest.ts';
import { openArtifactEntries } from '../../console/storage/embedded/lmdb/artifact-entries.ts';
import { openLmdbArtifacts } from '../../console/storage/embedded/lmdb/artifacts-lmdb.ts';
import { openEnvironment } from '../../console/storage/embedded/lmdb/lmdb-environment.ts';
import { openLmdbRecords } from '../../console/storage/embedded/lmdb/records-lmdb.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { timeOrderedId } from '../../console/storage/time-ordered-id.ts';
import { quantile } from '../statistics.ts';
import { clientOf, expiresAt, sessionOf, userOf } from './records.ts';

const [task = '', directory = '', size = '', withSessions = size] = process.argv.slice(2);
const count = Number(size);
const sessions = Number(withSessions);
const lookups = 5000;
const writes = 500;

mkdirSync(directory, { recursive: true });
const started = performance.now();
const environment = openEnvironment(directory);
const { registry } = createMemoryStorage();
await registry.update((transaction) => transaction.put('providers', { id: 'corp', enabled: true }));
const records = openLmdbRecords({ environment, registry });
let shiftMs = 0;
const now = () => Date.now() + shiftMs;
const artifacts = openLmdbArtifacts({ environment, now, steady: now });
const openMs = performance.now() - started;

if (task === 'fill') await fill();
else console.log(JSON.stringify(await measure()));
await environment.close();

/** Sessions lie in the order of digests, so few large transactions write each page a few times only. */
async function fill(): Promise<void> {
  for (const numbers of batches(2000)) {
    await records.change(async (transaction) => {
      for (const n of numbers) transaction.put('users', userOf(n));
      for (const n of numbers) transaction.put('clients', clientOf(n));
    });
  }
  const entries = openArtifactEntries(environment);
  for (const numbers of batches(20_000)) {
    await environment.write(() => {
      for (const n of numbers) entries.put('Session', artifactKey(`session-${n}`), sessionOf(n));
    });
  }
}

function* batches(size: number): Generator<readonly number[], void> {
  for (let first = 0; first < count; first += size) {
    yield Array.from({ length: Math.min(size, count - first) }, (_, n) => first + n);
    if (first % 100_000 === 0) console.error(`${first} at ${(performance.now() / 1000).toFixed(0)} s`);
  }
}

/** Figure to its value: milliseconds, or megabytes. */
async function measure(): Promise<Record<string, number>> {
  const any = () => Math.floor(Math.random() * count);
  const anySession = () => Math.floor(Math.random() * sessions);
  const idle = megabytes();
  const figures: Record<string, number> = { 'open, ms': openMs };
  const time = async (name: string, times: number, work: (n: number) => Promise<unknown>) => {
    const taken: number[] = [];
    const before = process.cpuUsage();
    for (let n = 0; n < times; n++) {
      const from = performance.now();
      await work(n);
      taken.push(performance.now() - from);
    }
    const { user, system } = process.cpuUsage(before);
    taken.sort((a, b) => a - b);
    figures[`${name}, p50 ms`] = quantile(taken, 0.5);
    figures[`${name}, p99 ms`] = quantile(taken, 0.99);
    figures[`${name}, processor ms`] = (user + system) / 1000 / times;
  };
  // The first calls are those of the compiler.
  for (let n = 0; n < 2000; n++) await records.get('users', userOf(any()).id);

  await time('user by id', lookups, () => records.get('users', userOf(any()).id));
  await time('user by name', lookups, () => records.userByName(`First.Last-${any()}`));
  await time('user by link', lookups, () => records.userByLink('corp', `subject-${any()}`));
  await time('client by id', lookups, () => records.get('clients', clientOf(any()).id));
  await time('is a name taken', lookups, (n) => records.isNameTaken(`new-${n}`));
  await time('redirect origin', lookups, () =>
    records.isRedirectOrigin(`https://app-${any() % 1000}.example`),
  );
  await time('another administrator', lookups, () => records.hasAdministrator('corp'));
  await time('count of a role', lookups, () => records.count('users', { role: 'Viewer' }));
  await time('page of 100', 200, () =>
    records.users({ limit: 100, beginning: `first.last-${any()}`.slice(0, 12) }),
  );
  await time('session by id', lookups, () => artifacts.get('Session', `session-${anySession()}`));
  await time('session by uid', lookups, () => artifacts.findByUid('Session', `uid-${anySession()}`));
  await time('sessions of an account', lookups, () =>
    artifacts.listByAccount('Session', userOf(anySession()).id),
  );

  const change = (n: number) =>
    records.change(async (transaction) => {
      const found = await transaction.get('users', userOf(n).id);
      transaction.put('users', { ...found!, tokensValidFrom: found!.tokensValidFrom + 1 });
      transaction.putArtifact({ kind: 'VoidMark', id: `account ${n}` }, { payload: { n }, expiresAt });
    });
  await time('change of a user, with its void mark', writes, () => change(any()));
  const add = (n: number) =>
    records.change(async (transaction) => {
      const id = `${timeOrderedId(Date.now())}`;
      const federated = { provider: 'corp', subject: id };
      transaction.put('users', { ...userOf(count + n), id, username: id, federated });
    });
  await time('new user', writes, add);
  const addAll = (first: number) => Promise.all(Array.from({ length: 64 }, (_, n) => add(first * 64 + n)));
  await time('64 new users at once', 40, addAll);
  await time('session put', writes, (n) =>
    artifacts.put('Session', `new-${process.pid}-${n}`, sessionOf(any())),
  );
  await time('refresh: exchange', writes, (n) => exchange(n));
  await time('counter', writes, () => artifacts.count('Failures', `address-${any()}`, 60));
  await time('list of 100', 200, () => artifacts.list('Session', 100));
  await sweep(figures);
  const after = megabytes();
  return {
    ...figures,
    'anonymous memory at the start, MB': idle.anonymous,
    'anonymous memory, MB': after.anonymous,
    'with mapped pages, MB': after.all,
  };
}

async function exchange(n: number): Promise<void> {
  const id = `refresh-${process.pid}-${n}`;
  const artifact = { payload: { n }, grantId: `grant-${n}`, accountId: userOf(n).id, expiresAt };
  if (n === 0) await artifacts.put('RefreshToken', id, artifact);
  const next = { kind: 'RefreshToken', id: `refresh-${process.pid}-${n + 1}`, artifact };
  const outcome = await artifacts.exchange({ consume: { kind: 'RefreshToken', id }, put: [next] });
  if (outcome !== 'won') throw new Error(`the exchange was ${outcome}`);
}

/** 2,000 that have just expired among all that have not: what a batch takes, during which others wait. */
async function sweep(figures: Record<string, number>): Promise<void> {
  const soon = Math.floor(now() / 1000) + 60;
  const puts = Array.from({ length: 2000 }, (_, n) =>
    artifacts.put('Interaction', `expired-${process.pid}-${n}`, {
      payload: { n },
      expiresAt: soon,
      uid: `u${n}`,
    }),
  );
  await Promise.all(puts);
  shiftMs = 120_000;
  const from = performance.now();
  const removed = await artifacts.sweep();
  figures['sweep of 2,000, ms'] = performance.now() - from;
  if (removed < 2000) throw new Error(`${removed} were swept`);
}

function megabytes() {
  const status = readFileSync('/proc/self/status', 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { anonymous: of('RssAnon'), all: of('VmRSS') };
}
