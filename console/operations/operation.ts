/**
 * An operation: one thing that can be asked of the console or changed in it. The API, the commands, files of
 * configuration, the pages and the description of the API all come from these; nothing else changes what is managed.
 */
import type { z } from 'zod';
import type { Actor } from './actor.ts';
import type { CheckMayGrant } from './privileges.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Of the built-in roles, MetricsViewer may see `metrics`, Viewer may `read` these too, and `observe` where it is signed in at the
 * console itself; what it takes to `inspect` or `write` only Admin has. Whoever calls may ask about their `own`.
 */
export type Access = 'own' | 'metrics' | 'read' | 'observe' | 'inspect' | 'write';

/** What came with a call, checked. */
export interface OperationCall<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly actor: Actor;
  /** The change is made only while the record is of this version (RFC 9110 §13.1.1). */
  readonly ifMatch?: string | undefined;
  /** `If-None-Match: *`: only when there is none yet. */
  readonly isNew: boolean;
  /** So long the caller waits for what takes longer than a call (`Prefer: wait`, RFC 7240 §4.3), seconds. */
  readonly waitSeconds: number;
  /** Nobody reads the body of the answer: it need not be made. */
  readonly isUnread: boolean;
  /**
   * Who asks for a list reads what its items are, and nothing of what would have to be counted for each: it need not be there. Nor
   * need what was counted in the last seconds, and is not on the disk yet.
   */
  readonly isBrief: boolean;
  /** Nothing is kept: the services write to nothing that lasts. */
  readonly isDryRun: boolean;
  /**
   * For whoever gives roles, scopes or permissions, or changes what has some: of before and of after, inside the
   * transaction (privileges.ts).
   *
   * @throws {ProblemError} `escalation`
   */
  readonly checkMayGrant: CheckMayGrant;
}

/** What a change has changed, for the audit trail: old and new value, or of a set what was added and removed. */
export type Changes = Readonly<Record<string, unknown>>;

export type SuccessStatus = 200 | 201 | 202 | 204;

export interface Answer {
  /** By default 200 with a body, else 204. */
  readonly status?: SuccessStatus;
  readonly body?: object | undefined;
  /** In the place of a body, as it comes; it is ended when nobody reads any more. */
  readonly stream?: AsyncIterable<string>;
  /** The same of what is no text. */
  readonly bytes?: AsyncIterable<Uint8Array>;
  /** What the entity tag says; see entity-tag.ts. */
  readonly version?: string | undefined;
  /** Another audit event than the operation's: what replaces or makes did one of the two. */
  readonly event?: string | undefined;
  /** The id of what was added or changed. */
  readonly target?: string | undefined;
  readonly changes?: Changes | undefined;
  /** What was asked for, where the audit has that somebody has read. */
  readonly asked?: Readonly<Record<string, unknown>>;
  /** In words, for who made the change. */
  readonly warnings?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the entry of the audit, besides. */
  readonly said?: Readonly<Record<string, unknown>>;
  /** What else has come of the change, each with an entry of its own. */
  readonly also?: readonly SaidToo[];
  /** What is done once its entry is in the audit. */
  readonly afterEntry?: () => Promise<void>;
  /** Nothing was changed, so that no line of the audit trail says so. */
  readonly isUnchanged?: boolean;
}

export interface SaidToo {
  readonly event: string;
  readonly target: string;
  readonly [field: string]: unknown;
}

interface Described<Services, Params, Query, Body> {
  /** Unique: `updateClient`. */
  readonly id: string;
  readonly method: Method;
  /** Below `/api/v1`, with `{name}` for a parameter. Its first word is the object that scopes name. */
  readonly path: `/${string}`;
  /** One sentence. */
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** Cannot be taken back, or opens much: wants a sign-in of late, or a scope that names the object (RFC 9470). */
  readonly isDangerous?: boolean;
  /** The name of its audit event; one without changes nothing. */
  readonly event?: string;
  /** The same of one that changes nothing: having looked at the audit is in it too. */
  readonly readEvent?: string;
  /** Goes on for long, or looks at everything: one caller may have four of these at a time. */
  readonly isLong?: boolean;
  /** Makes something that a repeated call would make twice: takes an `Idempotency-Key`. */
  readonly isMaking?: boolean;
  /**
   * What it changes are records, in one change: its answer and its entry of the audit are stored with them, and none is
   * there alone.
   */
  readonly isOneChange?: boolean;
  /** false: it changes no record, so that no `If-Match` is for it. */
  readonly hasVersion?: false;
  /** What of the body stands in the entry of a refusal, too. */
  readonly askedOf?: (body: Body) => Readonly<Record<string, unknown>>;
  /** What stands in the path: one that does not fit is not there. */
  readonly params?: z.ZodType<Params>;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** Checks it as `body` does, by and by: of one that may have thousands of members. @throws {ProblemError} */
  readonly checkBody?: (body: unknown) => Promise<Body>;
  /**
   * Of a body that says the whole: what follows from it for fields of which it says nothing, where that is no fixed
   * default. The body may not have been checked yet.
   */
  readonly implied?: (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Bytes, where it may be larger than others. */
  readonly bodyLimit?: number;
  /** The body's form where it is no JSON: `run` gets its bytes as they come. */
  readonly mediaType?: string;
  /** The answer's body; none: 204. */
  readonly answer?: z.ZodType;
  /** The answer's form where it is no JSON. */
  readonly answerType?: string;
  /** What it may be instead, as the query says. */
  readonly otherAnswerTypes?: readonly string[];
  /** What it can be answered with when all goes well, where that is not what {@link statusesOf} supposes. */
  readonly statuses?: readonly SuccessStatus[];
  /** Status codes of its own besides those that every operation can have. */
  readonly problems?: readonly number[];
  /** Throws {@link ProblemError}s. */
  run(call: OperationCall<Params, Query, Body>, services: Services): Promise<Answer>;
}

/** An operation in the table, whose calls have been checked by its schemas when they come to `run`. */
export interface Operation<Services = never> extends Described<Services, unknown, unknown, unknown> {
  /** First word of the path. */
  readonly object: string;
  run(call: OperationCall, services: Services): Promise<Answer>;
}

/** Takes what the schemas say for the types of what `run` gets. */
export function operation<Services, Params = undefined, Query = undefined, Body = undefined>(
  described: Described<Services, Params, Query, Body>,
): Operation<Services> {
  return {
    ...(described as unknown as Described<Services, unknown, unknown, unknown>),
    object: described.path.split('/')[1]!,
  };
}

/** 201 for what makes something, 200 or 201 for what replaces it or makes it; else 200, or 204 without a body. */
export function statusesOf({
  statuses,
  answer,
  answerType,
  method,
  isMaking,
}: Pick<Operation, 'statuses' | 'answer' | 'answerType' | 'method' | 'isMaking'>): readonly SuccessStatus[] {
  if (statuses) return statuses;
  if (!answer && answerType === undefined) return [204];
  if (method === 'PUT') return [200, 201];
  return isMaking ? [201] : [200];
}
