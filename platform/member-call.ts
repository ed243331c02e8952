/** A call that the console makes to a member by itself, and what the member answers. */

export interface MemberCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/svc`, encoded. */
  readonly path: string;
  /** UUID or `host:port`; without it, the one that the proxy would take. */
  readonly member?: string | undefined;
  /** What stands behind name and password, of a call that takes them; an empty list where nothing does. */
  readonly positionalValues?: readonly string[];
  /** Of a call that stores something. */
  readonly value?: { readonly bytes: Buffer; readonly type: string | undefined };
  /** A longer answer is `content_too_large`; without it any is taken, for what is taken away must not be lost. */
  readonly mostBytes?: number;
}

export interface MemberReply {
  readonly status: number;
  readonly type: string | undefined;
  readonly bytes: Buffer;
  /** `host:port` of the member that has answered. */
  readonly member: string;
}

/** An answer that is still coming: whoever opens it reads it to its end, or leaves the loop. */
export interface OpenReply extends Omit<MemberReply, 'bytes'> {
  /** Of its body, where the member says so before it. */
  readonly length: number | undefined;
  /** At the reader's pace, once. @throws {ProblemError} where it breaks off, or nobody has read for a minute */
  readonly chunks: AsyncIterable<Buffer>;
}

/** The same without holding the answer. @throws {ProblemError} as {@link AskMember} */
export type OpenMember = (call: Omit<MemberCall, 'mostBytes'>) => Promise<OpenReply>;

/** @throws {ProblemError} `no_member`, `group_disabled`, `bad_gateway`, `upstream_timeout`, `member_busy`, `invalid_request` */
export type AskMember = (call: MemberCall) => Promise<MemberReply>;
