/** Descriptions of objects as a whole: what they would change, done in one change, and what has moved since. */

import { randomBytes } from 'node:crypto';
import { stringifyInChunks } from '../../platform/async/json-in-chunks.ts';
import { createPauses } from '../../platform/async/pauses.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Actor } from '../operations/actor.ts';
import { DuplicateRecordError, LastAdministratorError } from '../storage/record-store.ts';
import { flattened, unusualFields } from './comparison.ts';
import { type ConfigurationDocument, checkSize, documentWithoutSecrets, objectsOf } from './document.ts';
import { exportedState } from './enabling.ts';
import { kindsOf, objectKinds } from './object-kinds.ts';
import { type ApplyOptions, listed } from './owner-rules.ts';
import { type StagedConfiguration, stageConfiguration } from './stage.ts';
import type { Stage, Step } from './stage-types.ts';

export interface OpenedStage extends Stage {
  /** @returns false when something was changed meanwhile: nothing has changed. Then the audit trail has its lines */
  commit(): Promise<boolean>;
  /** @throws what {@link OpenedStage.commit} would */
  checkCommit(): Promise<void>;
}

export interface ConfigurationDeps {
  readonly openStage: (actor: Actor, requestId: string) => Promise<OpenedStage>;
  /** The table of operations. */
  readonly readOperations: () => Promise<Stage['operations']>;
  /** What is kept of descriptions, encrypted: they have secrets. */
  readonly kept: {
    read(name: string): Promise<string | undefined>;
    /** @param expiresAt  epoch seconds; undefined: it stays */
    write(name: string, text: string, expiresAt?: number): Promise<void>;
  };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface PlanView {
  readonly id: string;
  readonly source: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly canApply: boolean;
  /** Why it cannot be applied, beside what its steps say. */
  readonly limit: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly steps: readonly Step[];
}

export type DriftView = Omit<PlanView, 'id' | 'expiresAt'>;

interface StoredPlan {
  readonly document: ConfigurationDocument;
  readonly options: ApplyOptions;
  readonly touched: string;
}

export type Configuration = ReturnType<typeof createConfiguration>;

const planSeconds = 3600;

export function createConfiguration({ openStage, readOperations, kept, now }: ConfigurationDeps) {
  return {
    /** @throws {ProblemError} */
    async plan(document: ConfigurationDocument, options: ApplyOptions, actor: Actor): Promise<PlanView> {
      checkSize(document);
      const id = `pln_${randomBytes(12).toString('base64url')}`;
      const stage = await openStage(actor, id);
      checkKinds(document, stage);
      const staged = await stageConfiguration(document, options, stage);
      const limit = staged.limit ?? (await reasonAgainst(stage));
      const view = viewOf(id, document.source, { ...staged, limit }, now());
      const plan: StoredPlan = { document, options, touched: staged.touched };
      const until = Math.ceil(now() / 1000) + planSeconds;
      await kept.write(`plan ${id} view`, await stringifyInChunks(view), until);
      await kept.write(`plan ${id}`, await stringifyInChunks(plan), until);
      return view;
    },
    /** @throws {ProblemError} `not_found` */
    readPlan: (id: string) => planned<PlanView>(`${id} view`),
    /**
     * All of it in one change, or nothing.
     *
     * @throws {ProblemError} `not_found`, `plan_stale`, `owned_by_code`, `conflict`, `last_administrator`
     */
    async apply(id: string, actor: Actor): Promise<PlanView> {
      const { document, options, touched } = await planned<StoredPlan>(id);
      const stage = await openStage(actor, id);
      const staged = await stageConfiguration(document, options, stage);
      if (staged.touched !== touched) throw stale();
      checkPossible(staged);
      const hasChanges = staged.steps.some(({ action }) => action !== 'held');
      if (hasChanges && !(await commit(stage))) throw stale();
      await kept.write(
        `source ${document.source}`,
        await stringifyInChunks({ document: documentWithoutSecrets(document) }),
      );
      await kept.write(
        'sources',
        JSON.stringify([...new Set([...(await sources()), document.source])].sort()),
      );
      return viewOf(id, document.source, staged, now());
    },
    /**
     * What has moved since a source was applied: what applying it again would change.
     *
     * @param source  undefined: all of them
     * @throws {ProblemError} `not_found`
     */
    async drift(source: string | undefined, actor: Actor): Promise<readonly DriftView[]> {
      const applied = await sources();
      if (source !== undefined && !applied.includes(source)) {
        throw new ProblemError(problems.notFound, 'Nothing of this source has been applied.');
      }
      const drifts: DriftView[] = [];
      for (const one of source === undefined ? applied : [source]) {
        const { document } = JSON.parse((await kept.read(`source ${one}`))!) as Pick<StoredPlan, 'document'>;
        const options = { prune: false, takeOver: [] };
        const staged = await stageConfiguration(document, options, await openStage(actor, 'drift'));
        const { id: _id, expiresAt: _expiresAt, ...view } = viewOf('', one, staged, now());
        drifts.push(view);
      }
      return drifts;
    },
    /** For editors of files. */
    async schema(): Promise<object> {
      const { schemaOfFiles } = await import('./json-schema.ts');
      return schemaOfFiles(await readOperations());
    },
    /** What there is, as a description; secrets are named and not shown. @param source  undefined: whosever it is */
    async exported(source: string | undefined, actor: Actor): Promise<ConfigurationDocument> {
      const stage = await openStage(actor, 'export');
      const pause = createPauses(0.5);
      const described: Record<string, Record<string, unknown>> = {};
      for (const kind of kindsOf(stage.operations)) {
        for await (const object of listed(kind, stage)) {
          await pause();
          if (!isDescribable(kind.key, { ...object }, source)) continue;
          described[kind.key] ??= {};
          described[kind.key]![object.id] = {
            ...unusualFields(flattened({ ...object }), kind.fields),
            ...exportedState({ ...object }, kind),
            ...secretsOf(kind.key, object.id, { ...object }),
          };
        }
      }
      return { version: 1, source: source ?? 'exported', ...described };
    },
  };

  async function sources(): Promise<readonly string[]> {
    return JSON.parse((await kept.read('sources')) ?? '[]') as readonly string[];
  }

  async function planned<T>(name: string): Promise<T> {
    const text = await kept.read(`plan ${name}`);
    if (text === undefined)
      throw new ProblemError(problems.notFound, 'There is no such plan any more: plan anew.');
    return JSON.parse(text) as T;
  }
}

function viewOf(
  id: string,
  source: string,
  { steps, unchanged, limit }: StagedConfiguration,
  at: number,
): PlanView {
  const counts: Record<string, number> = { unchanged };
  for (const { action } of steps) counts[action] = (counts[action] ?? 0) + 1;
  return {
    id,
    source,
    createdAt: new Date(at).toISOString(),
    expiresAt: new Date(at + planSeconds * 1000).toISOString(),
    canApply: limit === undefined && counts.blocked === undefined,
    limit: limit ?? null,
    counts,
    steps,
  };
}

/** @throws {ProblemError} `invalid_request` for kinds that no operation makes here */
function checkKinds(document: ConfigurationDocument, { operations }: Stage): void {
  const known = kindsOf(operations).map(({ key }) => key);
  const unknown = objectKinds.filter(({ key }) => objectsOf(document, key) && !known.includes(key));
  if (unknown.length === 0) return;
  const names = unknown.map(({ key }) => key).join(', ');
  throw new ProblemError(problems.invalidRequest, `This console does not take ${names} from files.`);
}

/** @throws {ProblemError} */
function checkPossible({ steps, limit }: StagedConfiguration): void {
  const blocked = steps.filter(({ action }) => action === 'blocked');
  const said = blocked.slice(0, 20).map(({ kind, id, reason }) => `${kind}/${id}: ${reason}`);
  if (blocked.length > 0) {
    const isOwned = blocked.some(({ code }) => code === 'owned_by_code');
    throw new ProblemError(isOwned ? problems.ownedByCode : problems.conflict, said.join(' '), {
      members: { blocked: blocked.map(({ kind, id, code }) => ({ kind, id, code })) },
    });
  }
  if (limit !== undefined) throw new ProblemError(problems.conflict, limit);
}

/** Why the store would not take all of it together; undefined: it would. */
async function reasonAgainst(stage: OpenedStage): Promise<string | undefined> {
  try {
    await stage.checkCommit();
    return undefined;
  } catch (cause) {
    const broken = ruleBroken(cause);
    if (!broken) throw cause;
    return broken.message;
  }
}

/** @throws {ProblemError} `last_administrator`, `conflict` */
async function commit(stage: OpenedStage): Promise<boolean> {
  try {
    return await stage.commit();
  } catch (cause) {
    throw ruleBroken(cause) ?? cause;
  }
}

/** Of the rules that no object breaks alone. */
function ruleBroken(cause: unknown): ProblemError | undefined {
  if (cause instanceof LastAdministratorError)
    return new ProblemError(problems.lastAdministrator, 'Nobody could administer the console any more.', {
      cause,
    });
  if (cause instanceof DuplicateRecordError)
    return new ProblemError(problems.conflict, `Two users would have the same ${cause.what}.`, { cause });
  return undefined;
}

function stale(): ProblemError {
  return new ProblemError(problems.planStale, 'Something that it touches has changed since: plan anew.');
}

/** A client that signs people in is described as an application. */
function isDescribable(
  key: string,
  { id: _id, ...object }: { readonly id: string; readonly [field: string]: unknown },
  source: string | undefined,
): boolean {
  const owner = object.owner as { readonly kind: string; readonly source: string | null } | undefined;
  if (object.builtIn === true || owner?.kind === 'settings') return false;
  if (key === 'clients' && object.kind === 'application') return false;
  return source === undefined || owner?.source === source;
}

function secretsOf(key: string, id: string, { secrets }: Readonly<Record<string, unknown>>): object {
  const listedSecrets = (secrets ?? []) as readonly { readonly id: string }[];
  if (listedSecrets.length === 0) return {};
  return {
    secrets: listedSecrets.map((secret) => ({
      id: secret.id,
      from: { file: `secrets/${key}-${id}-${secret.id}` },
    })),
  };
}
