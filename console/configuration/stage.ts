/** What a description makes of what is there: each object by the operations that everybody uses, on a store that holds it. */

import { createHash } from 'node:crypto';
import { createPauses } from '../../platform/async/pauses.ts';
import { ProblemError } from '../../platform/errors.ts';
import { changesBetween } from '../operations/changes.ts';
import type { Changes } from '../operations/operation.ts';
import { holdOf } from '../operations/owner.ts';
import { versionOf } from '../storage/record-version.ts';
import type { RecordHold } from '../storage/records.ts';
import { flattened, inOrderOf, isSurelySame } from './comparison.ts';
import { fingerprintOf, type SeparatedObject, separateSecrets } from './described-secrets.ts';
import { type ConfigurationDocument, objectsOf } from './document.ts';
import { describedState, isEnabled, switchObject } from './enabling.ts';
import { type KindOperations, kindsOf } from './object-kinds.ts';
import { type ApplyOptions, obstacleTo, removalLimit, removalsOf } from './owner-rules.ts';
import type { OwnedObject } from './ownership.ts';
import type { Stage, Step } from './stage-types.ts';

export interface StagedConfiguration {
  /** Of what is to change, or cannot be. */
  readonly steps: readonly Step[];
  readonly unchanged: number;
  /** Why so much is not removed; undefined: it may be. */
  readonly limit: string | undefined;
  /** Of the versions of all that the description says something of. */
  readonly touched: string;
}

export async function stageConfiguration(
  document: ConfigurationDocument,
  options: ApplyOptions,
  stage: Stage,
): Promise<StagedConfiguration> {
  const pause = createPauses(0.5);
  const touched = createHash('sha256');
  const steps: Step[] = [];
  let unchanged = 0;
  const kinds = kindsOf(stage.operations);
  for (const kind of kinds) {
    for (const [id, described] of Object.entries(objectsOf(document, kind.key) ?? {})) {
      await pause();
      const { step, version } = await stageObject(kind, id, described, { document, options, stage });
      touched.update(JSON.stringify([kind.key, id, version ?? null]));
      if (step) steps.push(step);
      else unchanged++;
    }
  }
  const pruned = options.prune ? await removalsOf(kinds, document, stage, pause) : { removals: [], owned: 0 };
  for (const { kind, id, version } of pruned.removals) {
    await pause();
    touched.update(JSON.stringify([kind.key, id, version ?? null]));
    steps.push(await stageRemoval(kind, id, stage));
  }
  const limit = removalLimit(pruned, options);
  return { steps, unchanged, limit, touched: touched.digest('base64url') };
}

interface Staging {
  readonly document: ConfigurationDocument;
  readonly options: ApplyOptions;
  readonly stage: Stage;
}

interface StagedObject {
  /** Undefined: it is so already. */
  readonly step?: Step;
  readonly version?: string | undefined;
}

async function stageObject(
  kind: KindOperations,
  id: string,
  described: Readonly<Record<string, unknown>>,
  { document, options, stage }: Staging,
): Promise<StagedObject> {
  const record = await stage.ownership.find(kind.collection, id);
  const present = record || !hasAllRecords(kind) ? await readObject(kind, id, stage) : undefined;
  const owned = present && record;
  const version = present?.version;
  if (present && owned?.hold) {
    const waiting = waitingChanges(kind, described, present.body);
    return { version, step: heldStep(kind, id, owned.hold, waiting) };
  }
  const obstacle = owned && obstacleTo(kind, id, document.source, present.body, owned, options);
  if (obstacle) return { version, step: stepOf(kind, id, 'blocked', obstacle) };
  try {
    const made = await makeObject(kind, id, described, present?.body, stage);
    const isTaken = owned !== undefined && !isOwn(owned, document.source);
    const after = made || isTaken || !present ? await stage.ownership.find(kind.collection, id) : owned;
    if (after && !isOwn(after, document.source)) {
      if (!made && owned && !(await isStill(kind, id, owned, stage))) return { version: movedMeanwhile };
      await stage.ownership.change(kind.collection, id, { owner: { kind: 'code', source: document.source } });
    }
    if (!made && !isTaken) return { version };
    const action = present ? (made ? 'update' : 'take-over') : 'create';
    return { version, step: stepOf(kind, id, action, made ?? {}) };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.status >= 500) throw error;
    return {
      version,
      step: stepOf(kind, id, 'blocked', { reason: error.message, code: error.problem.code }),
    };
  }
}

/** No version: a plan that has it is stale. */
const movedMeanwhile = 'moved';

/** What is taken as it is, is what was compared; and the commit hangs on it. */
async function isStill(
  { collection }: KindOperations,
  id: string,
  compared: OwnedObject,
  { ownership }: Stage,
): Promise<boolean> {
  const bound = await ownership.findBound(collection, id);
  return bound !== undefined && versionOf(bound) === versionOf(compared);
}

/** Of the others some are built in: no record says that they are there. */
function hasAllRecords({ collection }: KindOperations): boolean {
  return collection === 'clients' || collection === 'users';
}

function isOwn({ owner }: OwnedObject, source: string): boolean {
  return owner?.kind === 'code' && owner.source === source;
}

interface Present {
  readonly body: Readonly<Record<string, unknown>>;
  readonly version: string | undefined;
}

async function readObject(kind: KindOperations, id: string, stage: Stage): Promise<Present | undefined> {
  try {
    const { body, version } = await stage.run(kind.read, { params: { [kind.param]: id } });
    return { body: flattened(body as Present['body']), version };
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) return undefined;
    throw error;
  }
}

interface Made {
  readonly changes: Changes | null;
  readonly warnings: readonly string[];
}

/** @returns undefined when it is so already. @throws {ProblemError} */
async function makeObject(
  kind: KindOperations,
  id: string,
  described: Readonly<Record<string, unknown>>,
  present: Present['body'] | undefined,
  stage: Stage,
): Promise<Made | undefined> {
  const { enabled, fields: said } = describedState(described, kind);
  const separated = separateSecrets(`/${kind.key}/${id}`, said, kind);
  const secrets = await changedSecrets(kind, id, separated, present, stage);
  const own = secrets.filter(({ name }) => !name.startsWith('secrets/'));
  const fields = inOrderOf(separated.fields, present ?? {});
  const isSame = present && own.length === 0 && isSurelySame(fields, present, kind.fields, kind.put.implied);
  const body = { ...fields, ...Object.fromEntries(own.map(({ name, value }) => [name, value])) };
  const params = { [kind.param]: id };
  const answer = isSame ? undefined : await stage.run(kind.put, { params, body, isUnread: true });
  const listed = secrets.filter(({ name }) => name.startsWith('secrets/'));
  if (listed.length > 0) await putSecrets(kind, id, listed, present, stage);
  for (const { name, fingerprint } of secrets)
    await stage.fingerprints.write(placeOf(kind, id, name), fingerprint);
  const switched = await switchObject(kind, id, { enabled, present }, stage);
  const isChanged = (answer !== undefined && !answer.isUnchanged) || switched !== undefined;
  if (!isChanged && secrets.length === 0) return undefined;
  const ofSecrets = Object.fromEntries(secrets.map(({ name }) => [name, 'changed']));
  const changes = { ...answer?.changes, ...switched, ...ofSecrets };
  return { changes, warnings: answer?.warnings ?? [] };
}

interface ChangedSecret {
  readonly name: string;
  readonly value: string;
  readonly fingerprint: string;
}

async function changedSecrets(
  kind: KindOperations,
  id: string,
  { secrets }: SeparatedObject,
  present: Present['body'] | undefined,
  { fingerprints }: Stage,
): Promise<readonly ChangedSecret[]> {
  const there = new Set(secretIdsOf(present).map((secret) => `secrets/${secret}`));
  const changed: ChangedSecret[] = [];
  for (const { name, value } of secrets) {
    const fingerprint = fingerprintOf(fingerprints.key, value);
    const isThere = present !== undefined && (there.has(name) || !name.startsWith('secrets/'));
    const isKnown = isThere && (await fingerprints.read(placeOf(kind, id, name))) === fingerprint;
    if (!isKnown) changed.push({ name, value, fingerprint });
  }
  return changed;
}

/** One of the same id is replaced, and the oldest makes room: a client has two at most. */
async function putSecrets(
  kind: KindOperations,
  id: string,
  secrets: readonly ChangedSecret[],
  present: Present['body'] | undefined,
  stage: Stage,
): Promise<void> {
  const { addSecret, param } = kind;
  if (!addSecret) return;
  const left = new Set(secretIdsOf(present));
  const removeSecret = stage.operations.find(
    ({ path, method }) => method === 'DELETE' && path === `${addSecret.path}/{secret}`,
  );
  for (const { name, value } of secrets) {
    const secret = name.slice('secrets/'.length);
    if (left.delete(secret) && removeSecret) {
      const params = { [param]: id, secret };
      await stage.run(removeSecret, { params, query: { endTokens: 'false' } });
    }
    const ends = left.size > 1 ? 'oldest' : 'none';
    await stage.run(addSecret, { params: { [param]: id }, body: { id: secret, secret: value, ends } });
    left.add(secret);
  }
}

function secretIdsOf(present: Present['body'] | undefined): readonly string[] {
  return ((present?.secrets ?? []) as readonly { readonly id: string }[]).map(({ id }) => id);
}

function placeOf({ collection }: KindOperations, id: string, name: string): string {
  return `${collection}/${id}/${name}`;
}

async function stageRemoval(kind: KindOperations, id: string, stage: Stage): Promise<Step> {
  const owned = await stage.ownership.find(kind.collection, id);
  if (owned?.hold) return heldStep(kind, id, owned.hold, undefined);
  try {
    const { changes = null } = await stage.run(kind.remove, { params: { [kind.param]: id } });
    return stepOf(kind, id, 'remove', { changes });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.status >= 500) throw error;
    return stepOf(kind, id, 'blocked', { reason: error.message, code: error.problem.code });
  }
}

function heldStep(kind: KindOperations, id: string, held: RecordHold, changes: Changes | undefined): Step {
  const hold = holdOf({ hold: held })!;
  const said = `held since ${hold.at} by ${hold.by}: ${hold.reason}`;
  return stepOf(kind, id, 'held', { reason: said, hold, changes: changes ?? null });
}

/** What is described otherwise than it is, and waits for the end of the hold; not tried, since it must not be done. */
function waitingChanges(
  kind: KindOperations,
  described: Readonly<Record<string, unknown>>,
  present: Present['body'],
): Changes | undefined {
  const { enabled, fields: said } = describedState(described, kind);
  const { fields } = separateSecrets('', said, kind);
  const names = Object.keys(fields).filter((name) => kind.fields.has(name));
  const of = (from: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.map((name) => [name, from[name] ?? null]));
  const states = (is: boolean) => (enabled === undefined ? {} : { enabled: is });
  return changesBetween(
    { ...of(present), ...states(isEnabled(present)) },
    { ...of(fields), ...states(enabled!) },
  );
}

function stepOf(kind: KindOperations, id: string, action: Step['action'], said: Partial<Step>): Step {
  const { changes = null, reason = null, code = null, hold = null, warnings = [] } = said;
  return { kind: kind.key, id, action, changes, reason, code, hold, warnings };
}
