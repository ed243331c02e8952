/**
 * A directory of descriptions that the console keeps to: each source in it is applied by itself, all of it or nothing,
 * and one that cannot be keeps what it had. Files that cannot be read keep all of it from being applied.
 */
import { ProblemError } from '../../../platform/errors.ts';
import type { Audit, Logger } from '../../../platform/log.ts';
import type { Actor } from '../../operations/actor.ts';
import { checkInput } from '../../operations/input-check.ts';
import { LeadershipLostError } from '../../storage/storage.ts';
import type { Configuration, PlanView } from '../configuration.ts';
import { type ConfigurationDocument, configurationDocument } from '../document.ts';
import { parseApart } from '../parse-apart.ts';
import { joined, readConfiguration } from '../read-files.ts';
import { listDirectory } from './directory-files.ts';
import { followDirectory } from './follow-directory.ts';

export interface SourceState {
  readonly source: string;
  readonly state: 'applied' | 'refused';
  readonly problem: string | null;
  readonly counts: Readonly<Record<string, number>>;
}

/** How it went when the directory was read last. */
export interface DirectoryState {
  readonly state: 'applied' | 'refused';
  /** When that was. */
  readonly at: string;
  /** Since when what is in force has been; null: nothing has been applied yet. */
  readonly appliedAt: string | null;
  readonly problem: string | null;
  readonly sources: readonly SourceState[];
  /** Which of several consoles has read it: the one that led. */
  readonly console?: string;
}

export interface DirectoryDeps {
  readonly directory: string;
  /** Of the process; none of the console's own settings is given to a file. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configuration: Pick<Configuration, 'plan' | 'apply'>;
  /** The name of this console, where there are several. */
  readonly console?: string;
  /** Where others ask for it. */
  readonly state: {
    read(): Promise<DirectoryState | undefined>;
    write(state: DirectoryState): Promise<void>;
  };
  /** The directory has been looked at once more. */
  readonly onRead?: () => void;
  readonly audit: Audit;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Who it is that changes things. */
const actor: Actor = { kind: 'local', id: 'CONSOLE_CONFIG_DIR', via: 'code', roles: [], scopes: [] };
/** So often administrators may be faster than a plan. */
const mostTries = 5;
/** The store cannot be written, or is being changed by too many: the files are as they should be. */
const passing = (error: unknown) =>
  !(error instanceof ProblemError) || error.problem.status >= 500 || error.problem.code === 'plan_stale';

/** Resolves when what is there has been applied, or refused. */
export async function followConfigurationDirectory(deps: DirectoryDeps): Promise<{ close(): Promise<void> }> {
  const { directory, log } = deps;
  const versionNow = () =>
    listDirectory(directory)
      .then(
        ({ version }) => version,
        (error: unknown) => `cannot be read ${reasonOf(error)}`,
      )
      .finally(deps.onRead);
  let reported = '';
  const known = await versionNow();
  const isDone = await applyOnce();
  // What passes is tried again, although the files are the same.
  return followDirectory({ versionNow, known: isDone ? known : 'not applied', onChanged: applyOnce });

  async function applyOnce(): Promise<boolean> {
    const before = await deps.state.read().catch(() => undefined);
    const done = await applyDirectory(deps);
    // Another console keeps to its own files by now.
    if (!done) return false;
    const at = new Date(deps.now()).toISOString();
    const isApplied = done.problem === null;
    const appliedAt = isApplied ? at : (before?.appliedAt ?? null);
    const { problem, sources, isPassing } = done;
    const state = isApplied ? ('applied' as const) : ('refused' as const);
    const by = deps.console === undefined ? {} : { console: deps.console };
    await deps.state.write({ state, at, appliedAt, problem, sources, ...by }).catch(() => {});
    report(problem, sources);
    return !isPassing;
  }

  /** Once for what stays the same. */
  function report(problem: string | null, sources: readonly SourceState[]): void {
    const text = JSON.stringify([problem, sources]);
    if (text === reported) return;
    reported = text;
    for (const { source, state, counts, problem: why } of sources) {
      if (state === 'applied') log.info({ directory, source, counts }, 'files of configuration are in force');
      else
        log.error({ directory, source, problem: why }, 'files of configuration are refused: what was stays');
    }
    if (problem !== null && sources.every(({ state }) => state === 'applied')) {
      log.error({ directory, problem }, 'files of configuration cannot be read: what was stays');
    }
    if (problem === null) return;
    const target = sources.find(({ state }) => state === 'refused')?.source;
    deps.audit('configuration.refused', {
      ...{ actor: actor.id, via: actor.via, outcome: 'denied', reason: problem.slice(0, 1000) },
      ...(target !== undefined && { target }),
    });
  }
}

interface AppliedDirectory {
  readonly problem: string | null;
  readonly sources: readonly SourceState[];
  /** It is to be tried again with the same files. */
  readonly isPassing: boolean;
}

/** @returns undefined when this console does not lead any more */
async function applyDirectory(deps: DirectoryDeps): Promise<AppliedDirectory | undefined> {
  let documents: readonly ConfigurationDocument[];
  try {
    documents = await readDirectory(deps);
  } catch (error) {
    return { problem: reasonOf(error), sources: [], isPassing: false };
  }
  const states = new Map<string, SourceState>();
  let isPassing = false;
  // One may use what another one describes: it comes again behind the others.
  for (let waiting = documents; waiting.length > 0; ) {
    isPassing = false;
    const refused: ConfigurationDocument[] = [];
    for (const document of waiting) {
      const { source } = document;
      try {
        const { counts } = await applySource(document, deps);
        states.set(source, { source, state: 'applied', problem: null, counts });
      } catch (error) {
        if (error instanceof LeadershipLostError) return undefined;
        isPassing ||= passing(error);
        refused.push(document);
        states.set(source, { source, state: 'refused', problem: reasonOf(error), counts: {} });
      }
    }
    waiting = refused.length < waiting.length ? refused : [];
  }
  const sources = [...states.values()];
  const refused = sources.find(({ state }) => state === 'refused');
  return { problem: refused ? `${refused.source}: ${refused.problem}` : null, sources, isPassing };
}

/** By source, in the order of their first files. */
async function readDirectory({ directory, env }: DirectoryDeps): Promise<readonly ConfigurationDocument[]> {
  const { files } = await listDirectory(directory);
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('CONSOLE_')));
  const bySource = new Map<string, ConfigurationDocument>();
  for (const file of files) {
    const document = await readConfiguration([file], { env: given, within: directory, parse: parseApart });
    saying(file, () => {
      checkInput(configurationDocument, document as never, '#');
      const other = bySource.get(document.source);
      bySource.set(document.source, other ? joined(other, document) : document);
    });
  }
  return [...bySource.values()];
}

/** @throws {ProblemError} that names the file */
function saying(file: string, check: () => void): void {
  try {
    check();
  } catch (cause) {
    if (!(cause instanceof ProblemError)) throw cause;
    throw new ProblemError(cause.problem, `${file} is wrong: ${cause.message}`, { cause });
  }
}

/** @throws {ProblemError} */
async function applySource(
  document: ConfigurationDocument,
  { configuration, audit }: DirectoryDeps,
): Promise<PlanView> {
  for (let tries = 1; ; tries++) {
    try {
      const { id } = await configuration.plan(document, { prune: true, takeOver: [] }, actor);
      const done = await configuration.apply(id, actor);
      if (done.steps.some(({ action }) => action !== 'held')) {
        const said = { outcome: 'success', target: document.source, changes: done.counts } as const;
        audit('configuration.applied', { actor: actor.id, via: actor.via, requestId: id, ...said });
      }
      return done;
    } catch (error) {
      const isStale = error instanceof ProblemError && error.problem.code === 'plan_stale';
      if (!isStale || tries === mostTries) throw error;
    }
  }
}

/** In words, without a secret: what is wrong with a file says where, and quotes nothing of it. */
function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `the directory cannot be read (${code})`;
}
