/** What a command of the configuration tool is: the parser, the help and the runner all read this. */

import type { Readable, Writable } from 'node:stream';
import type { OwnReason } from '../../../platform/names/reason-codes.ts';
import type { Services } from '../../app/services.ts';
import type { Progress } from '../../bulk/progress.ts';
import type { BulkTarget } from '../../bulk/target.ts';
import type { Settings } from '../../settings/settings.ts';
import type { CollectionSum } from '../../storage/migration/store-sums.ts';
import type { ConsoleKnowledge } from '../channel/store-knowledge.ts';
import type { ApiCaller } from '../operations/api-caller.ts';

export interface Command {
  /** One or two words, as typed. */
  readonly name: string;
  /** One sentence for the list of commands. */
  readonly summary: string;
  /** As in its usage line: `<id>`, `[<user>]`; with `…` it takes all that follow. */
  readonly positionals?: readonly string[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** What a person should know before using it. */
  readonly details?: readonly string[];
  /**
   * Runs in the process of the caller. Every other one runs in the console when one is running, with the
   * store and the settings that it has: nobody else may open the store beside it.
   */
  readonly isLocal?: boolean;
  /**
   * Works by operations alone, and so in the process of the caller, on a console that is elsewhere too (`--url`). Their
   * audit lines are the operations' own.
   */
  readonly isOnApi?: boolean;
  /** Makes the store where there is none, instead of refusing. */
  readonly createsStore?: boolean | ((input: Input) => boolean);
  /** About the console that runs: where none does, no store is opened instead. */
  readonly asksRunning?: boolean;
  /** Takes the flags of every setting too, as the console itself does. */
  readonly takesSettings?: boolean;
  /** What is asked before it, since it cannot be taken back; undefined: nothing. */
  readonly asks?: (input: Input) => Question | undefined;
  /** The name of its audit event; a command without one changes nothing. */
  readonly event?: string;
  /** @throws {Error} for each error; cli.ts knows the exit code of each kind */
  readonly run: (input: Input, tools: Tools) => Promise<Reply>;
}

/** A person types the name to go on, a script says `--yes`. */
export interface Question {
  /** What it does, in a sentence. */
  readonly says: string;
  /** Of what is gone afterwards. */
  readonly name: string;
}

export interface Flag {
  /** The word that stands for the value in help; absent for a switch. */
  readonly value?: string;
  readonly isRepeatable?: boolean;
  readonly isRequired?: boolean;
  readonly meaning: string;
}

/** @param usage  what stands in the usage line, `[--email E]`, `--role R …` where it may be repeated, and its meaning */
export function flags(usage: Readonly<Record<string, string>>): Readonly<Record<string, Flag>> {
  return Object.fromEntries(
    Object.entries(usage).map(([text, meaning]) => {
      const [, bracket, name = '', value, more] = /^(\[?)--([\w-]+)(?: (.+?))?( …)?\]?$/.exec(text) ?? [];
      const isRequired = bracket === '';
      return [
        name,
        { ...(value !== undefined && { value }), isRepeatable: more !== undefined, isRequired, meaning },
      ];
    }),
  );
}

/** What was typed, checked against the command. */
export interface Input {
  readonly positionals: readonly string[];
  readonly has: (flag: string) => boolean;
  readonly text: (flag: string) => string | undefined;
  /** Undefined when the flag was not given at all. */
  readonly texts: (flag: string) => readonly string[] | undefined;
}

export interface ReplyPart {
  readonly text: string;
  readonly json: readonly unknown[];
}

/** The same answer for a person and for a program. */
export interface Reply {
  readonly text: string;
  readonly json: unknown;
  /**
   * What follows, of a list that may be too long to hold: `json` is an array then, which is empty only when nothing
   * follows, and `text` goes on line by line.
   */
  readonly rest?: AsyncIterable<ReplyPart>;
  /** Who or what was changed, for the audit line. */
  readonly target?: string;
  /** What was looked at is not as it should be: exit code 1, although the command did its work. */
  readonly hasFailed?: boolean;
  /** Another exit code than 0, of a command that did its work. */
  readonly exitCode?: number;
  /** This time nothing was changed, so no audit line says so. */
  readonly isUnchanged?: boolean;
}

/** What commands work with. Everything is opened when it is asked for: help needs none of it. */
export interface Tools {
  /** The operations of the console that the command is about. */
  readonly api: ApiCaller;
  /** @throws {SettingsError} */
  readonly settings: () => Promise<Settings>;
  /**
   * @param options  `creates`: makes the store when there is none, instead of refusing
   * @throws {ProblemError} `not_found` when there is no store
   * @throws {StorageRejectedError}
   */
  readonly services: (options?: { readonly creates?: boolean }) => Promise<Services>;
  /**
   * @returns where the store is that was replaced; undefined where there was none
   * @throws {StorageRejectedError} nothing was replaced
   */
  readonly restore: (from: string) => Promise<string | undefined>;
  /**
   * Moves the store that the settings name.
   *
   * @param to        a directory, or `postgres://…` without a password
   * @param password  of that address
   * @throws {StorageRejectedError} the source is as it was
   */
  readonly moveStore: (to: string, password: string | undefined) => Promise<MovedStore>;
  /** A secret from a file, or from standard input when `path` is `-`. @throws {ProblemError} */
  readonly readSecret: (path: string) => Promise<string>;
  /** The text of a file of up to 256 KiB that holds no secret. @throws {ProblemError} */
  readonly readFile: (path: string) => Promise<string>;
  /** Whether the console can be asked, as `/ready` says; absent where none runs. */
  readonly isReady?: () => Promise<boolean>;
  /** What the running console knows of its store, and what it runs with; undefined when none runs. */
  readonly inspectStore?: (isDeep: boolean) => Promise<ConsoleKnowledge | undefined>;
  /**
   * For imports and exports, which run in the process of the caller: a running console is sent what was read, and sends
   * pages of what it has.
   *
   * @param options  as of `services`
   */
  readonly bulk?: (options?: { readonly creates?: boolean }) => Promise<Bulk>;
  /** How far something is, where standard error is a terminal; absent where nobody sits. */
  readonly progress?: () => Promise<Progress | undefined>;
  /** A line for the person at the terminal, beside the reply; absent where nobody sits. */
  readonly say?: (line: string) => void;
  /** Which console or store commands reach from here; absent in a running console. */
  readonly whereabouts?: () => Promise<Whereabouts>;
  /** The directory in which the command was typed. */
  readonly cwd: string;
  /** Of the caller's shell; empty in a running console, whose own is nobody else's. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface MovedStore {
  /** Without a secret. */
  readonly from: string;
  readonly to: string;
  /** Of both, which are the same. */
  readonly collections: readonly CollectionSum[];
}

export interface Whereabouts {
  readonly way: 'socket' | 'store';
  /** `local:<user>`, as audit lines name who typed the command. */
  readonly user: string;
  readonly dataDir: string;
  /** Of the console that runs; null where none does. */
  readonly url: string | null;
  readonly version: string | null;
  readonly pid: number | null;
}

/** What an import or export works with. */
export interface Bulk {
  readonly target: BulkTarget;
  readonly dataDir: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly progress: Progress;
  /** A line for the person at the terminal, beside the reply. */
  readonly say: (line: string) => void;
}

/** An error that only the command line knows. Exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: string;

  /** @param code  for programs, as `error` of the JSON answer */
  constructor(code: OwnReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Wrong usage: says what is wrong, never repeats a value that may be a secret. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly command: Command | undefined;

  constructor(message: string, command?: Command) {
    super(message);
    this.command = command;
  }
}
