/**
 * The outbox of the audit where several consoles share the store: a console writes at its start what it has left itself, and
 * the one that leads what a console has left that does not come back. An entry that both have written is told once: the
 * database knows the ids.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSerial } from '../../../platform/async/serial.ts';
import type { Logger } from '../../../platform/log.ts';
import type { AuditStore } from '../../audit/audit-store.ts';
import { outboxIdsIn } from '../../audit/outbox-ids.ts';
import type { SharedAuditReader } from '../../audit/rows/shared-questions.ts';
import type { ArtifactStore, ListedArtifact, Storage } from '../../storage/storage.ts';
import { type OutboxRecord, outboxKind } from '../audit-outbox.ts';
import { listOutbox } from '../audit-outbox-drain.ts';

export interface SharedDrainDeps {
  readonly dataDir: string;
  readonly artifacts: Pick<ArtifactStore, 'list' | 'removeByKey' | 'exchange'>;
  readonly storage: Pick<Storage, 'leadership'>;
  /** `synced` resolves when the database has the entries. */
  readonly trail: Pick<AuditStore, 'addBodies' | 'synced'> & { readonly owner: string };
  readonly reader: Pick<SharedAuditReader, 'askShared'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

interface Left {
  readonly key: string;
  readonly record: OutboxRecord;
}

/** An owner that lives has written its own by then. */
const patienceMs = 60_000;
const roundMs = 10_000;
const closeMs = 2_000;

/** @returns when it is known what this console has left; the value ends the rounds, after the one under way */
export async function startSharedDrain(deps: SharedDrainDeps): Promise<() => Promise<void>> {
  const { trail, storage, log } = deps;
  const inTurn = createSerial();
  const own = (await recordsOf(deps)).filter(({ record }) => record.owner === trail.owner);
  const work = (round: () => Promise<number>) =>
    inTurn(round).then(
      (entries) => {
        if (entries > 0) log.warn({ entries }, 'entries of the audit that an end had held back are written');
      },
      // The store takes nothing, or is closed: it is tried again.
      (err: unknown) => log.warn({ err }, 'entries of the audit are still in the store'),
    );
  let last = own.length > 0 ? work(() => writeLeft(own, deps)) : Promise.resolve();
  const timer = setInterval(() => {
    if (storage.leadership?.term() !== undefined) last = work(() => drainOld(deps));
  }, roundMs).unref();
  return async () => {
    clearInterval(timer);
    // A disk that takes no entries would hold up the end: what is left is written by the next start.
    await Promise.race([last, delay(closeMs, undefined, { ref: false })]);
  };
}

async function recordsOf({ artifacts }: SharedDrainDeps): Promise<readonly Left[]> {
  const all = await listOutbox(artifacts);
  const used = all.filter(({ artifact }) => artifact.consumedAt !== undefined);
  // Somebody has taken it, and what has taken its place came in the same commit.
  await Promise.all(used.map(({ key }) => artifacts.removeByKey(outboxKind, key)));
  return all.filter((one) => !used.includes(one)).map(leftOf);
}

function leftOf({ key, artifact }: ListedArtifact): Left {
  return { key, record: artifact.payload as unknown as OutboxRecord };
}

/** @returns entries that were written */
async function drainOld(deps: SharedDrainDeps): Promise<number> {
  const { trail, now = Date.now } = deps;
  const before = now() - patienceMs;
  const old = (await recordsOf(deps)).filter(({ record }) => (record.taken?.at ?? record.at) < before);
  const taken: Left[] = [];
  for (const left of old) {
    // Of a commit of which it was not known whether it was done nobody has said anything here either.
    const own = left.record.owner === trail.owner ? left : await take(left, deps);
    if (own) taken.push(own);
  }
  return taken.length > 0 ? writeLeft(taken, deps) : 0;
}

/** One console alone: the record is used up by what takes its place. */
async function take({ record }: Left, { artifacts, trail, now = Date.now }: SharedDrainDeps) {
  const name = `${record.id}.${randomBytes(6).toString('base64url')}`;
  const mine: OutboxRecord = { ...record, owner: trail.owner, taken: { name, at: now() } };
  const outcome = await artifacts.exchange({
    consume: { kind: outboxKind, id: record.taken?.name ?? record.id },
    put: [{ kind: outboxKind, id: name, artifact: { payload: { ...mine } } }],
  });
  if (outcome !== 'won') return undefined;
  const all = await listOutbox(artifacts);
  return all.map(leftOf).find((left) => left.record.taken?.name === name);
}

async function writeLeft(left: readonly Left[], deps: SharedDrainDeps): Promise<number> {
  const { dataDir, artifacts, reader, trail } = deps;
  const records = left.map(({ record }) => record).sort((one, other) => one.at - other.at);
  const bodies = new Map(
    records.flatMap((record) => idsOf(record).map((id, n) => [id, record.bodies[n]!] as const)),
  );
  const { found } = await reader.askShared('outbox', { ids: [...bodies.keys()] });
  for (const id of found) bodies.delete(id);
  // What is in the files here is on its way.
  const there = await outboxIdsIn(join(dataDir, 'audit'), new Set(bodies.keys()), records[0]!.at);
  for (const id of there) bodies.delete(id);
  if (bodies.size > 0) trail.addBodies([...bodies.values()].join('\n'));
  await trail.synced();
  await Promise.all(left.map(({ key }) => artifacts.removeByKey(outboxKind, key)));
  return bodies.size;
}

function idsOf({ id, bodies }: OutboxRecord): readonly string[] {
  return bodies.map((_, n) => `${id}.${n}`);
}
