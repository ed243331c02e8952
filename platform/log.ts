import { type Level, type Logger, pino, stdTimeFunctions, symbols } from 'pino';
import { ProblemError, problems } from './errors.ts';
import type { Faults } from './faults.ts';
import { requireLibrary } from './installation.ts';
import { createAuditLine } from './log-lines/audit-line.ts';
import { cleanFields, cleanText } from './log-lines/log-cleaning.ts';
import { type LineSink, openLogOutput } from './log-output.ts';

export type { Logger } from 'pino';

export interface LogOptions {
  /** Least level that is logged. */
  readonly level: Level | 'silent';
  /** `pretty` is for a person at a terminal, `json` (one object per line) for everything else. */
  readonly format: 'pretty' | 'json';
  /** File descriptor that lines go to: 1, standard output, by default. */
  readonly descriptor?: 1 | 2;
  /** Pretty lines with terminal colours. */
  readonly isColored?: boolean;
  /** Takes the lines instead of a descriptor. */
  readonly destination?: LineSink;
  /** Counts the lines that nobody took. */
  readonly faults?: Pick<Faults, 'lostLines'>;
}

/**
 * Structured logs, handed on before the event loop turns again. Fields that carry credentials are redacted by
 * name at any depth, addresses lose their query, and control characters are escaped, so that a
 * value can neither forge a line nor steer a terminal (S85).
 */
export function createLogger(options: LogOptions): Logger {
  const {
    level,
    format,
    descriptor = 1,
    isColored = false,
    destination,
    faults = { lostLines: 0 },
  } = options;
  const onTaken = (lines: number) => log.warn({ lines }, 'log lines were dropped: nobody took them');
  const sink = destination ?? openLogOutput({ descriptor, faults, onTaken });
  const log: Logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => error },
      formatters: {
        level: (label) => ({ level: label }),
        log: cleanFields,
      },
      hooks: {
        logMethod([first, ...rest], method) {
          // Left to itself, the library takes the message of a bare error as it is.
          const call =
            first instanceof Error
              ? [{ err: first }, ...(rest.length > 0 ? rest : [first.message])]
              : [first, ...rest];
          method.apply(this, call.map(cleanArgument) as Parameters<typeof method>);
        },
      },
    },
    format === 'pretty' ? prettyStream(sink, isColored) : sink,
  );
  return cleanBindings(log);
}

/** The library formats fields but not the bindings of child loggers. Children inherit the method. */
function cleanBindings(log: Logger): Logger {
  const { child } = log;
  log.child = function childWithCleanBindings(this: Logger, bindings, options) {
    return child.call(this, cleanFields(bindings), options);
  } as Logger['child'];
  return log;
}

/** What the audit trail says of one event, besides its name (S84). */
export interface AuditFields {
  /** Subject or client id of who acted, when known. */
  readonly actor?: string | undefined;
  /** Client address. */
  readonly source?: string | undefined;
  /** `partial`: done at some members and not at others. */
  readonly outcome: 'success' | 'partial' | 'failure' | 'denied';
  readonly requestId?: string | undefined;
  readonly [field: string]: unknown;
}

export interface Audit extends Partial<AuditWriting> {
  /** @param event  constant dotted name, such as `login` or `client.added` */
  (event: string, fields: AuditFields): void;
}

/** Of an audit that is kept. */
export interface AuditWriting {
  /**
   * Resolves when all that was said before is where a kill of the process does not reach it; at once while the disk takes
   * nothing.
   */
  readonly written: () => Promise<void>;
  /** Resolves when all that was said before is on the disk. */
  readonly synced: () => Promise<void>;
  /** false: what is said now may be lost, so nothing may be changed. */
  readonly isAvailable: () => boolean;
  /** Where others share the store: who answers for what is said here, whatever process it is. */
  readonly owner?: string;
}

/** Before anything is changed that has an entry. @throws {ProblemError} `audit_unavailable` */
export function checkAuditable({ isAvailable }: Partial<AuditWriting>): void {
  if (isAvailable === undefined || isAvailable()) return;
  throw new ProblemError(
    problems.auditUnavailable,
    'Nothing was changed: what was done could not be recorded. Try again shortly.',
    { headers: { 'Retry-After': '5' } },
  );
}

/**
 * The audit trail: one line per event, told apart by `audit: true` and logged whatever the level
 * is, unless logging is silent.
 *
 * @param stored  gets each event too, also when logging is silent: a log loses lines that nobody reads
 */
export function createAudit(log: Logger, stored?: AuditStored): Audit {
  const isSilent = log.level === 'silent';
  const { [symbols.chindingsSym]: bindings, [symbols.streamSym]: output } = log as unknown as PinoInternals;
  const lineOf = createAuditLine(`${bindings},"audit":true`);
  const audit = (event: string, fields: AuditFields) => {
    stored?.record(event, fields);
    if (!isSilent) output.write(lineOf(event, fields.outbox === undefined ? fields : withoutOutbox(fields)));
  };
  return Object.assign(audit, writingOf(stored));
}

/** The log has each event once whatever the store does. */
function withoutOutbox({ outbox: _outbox, ...fields }: AuditFields): AuditFields {
  return fields;
}

/** For whoever puts something between those who say and the audit. */
export function writingOf(audit: Partial<AuditWriting> = {}): Partial<AuditWriting> {
  const { written, synced, isAvailable, owner } = audit;
  return {
    ...(written && { written }),
    ...(synced && { synced }),
    ...(isAvailable && { isAvailable }),
    ...(owner !== undefined && { owner }),
  };
}

export interface AuditStored extends Partial<AuditWriting> {
  record(event: string, fields: AuditFields): void;
}

/** What the library has of each logger: the fields of all its lines, as JSON text, and where they go. */
interface PinoInternals {
  readonly [symbols.chindingsSym]: string;
  readonly [symbols.streamSym]: LineSink;
}

/** Fields come first and are cleaned by the formatter; what follows is text or goes into it. */
function cleanArgument(argument: unknown, position: number): unknown {
  if (typeof argument === 'string') return cleanText(argument);
  if (position === 0 || typeof argument !== 'object' || argument === null) return argument;
  return cleanFields(argument);
}

interface PrettyModule {
  /** @returns a function from a JSON line to lines for a person */
  prettyFactory(options: object): (line: string) => string;
}

/** Loaded only when asked for: it costs 35 ms of start-up. In this process and synchronous, so no line is lost. */
function prettyStream(sink: LineSink, isColored: boolean): LineSink {
  const { prettyFactory } = requireLibrary('pino-pretty') as PrettyModule;
  const prettify = prettyFactory({
    colorize: isColored,
    translateTime: "UTC:yyyy-mm-dd'T'HH:MM:ss.l'Z'",
    singleLine: true,
  });
  return { write: (line) => sink.write(prettify(line)) };
}
