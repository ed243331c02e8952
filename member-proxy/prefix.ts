/** The first path segment at the members: `svc`, or `hazelcast` at the real engine. */
import { Client } from 'undici';

export const memberPrefixes = ['svc', 'hazelcast'] as const;

export type MemberPrefix = (typeof memberPrefixes)[number];

export interface PrefixDetection {
  /** What to call members with now: what one of them has answered to, `svc` until then. */
  current(): MemberPrefix;
  /** Ends the search; what is known stays. */
  close(): void;
}

export interface PrefixDetectionDeps {
  /** Base addresses of the members. */
  readonly members: readonly string[];
  /** Pause between two rounds over all members while none has answered, milliseconds. */
  readonly pauseMs?: number;
  /** Longest wait for one reply, milliseconds. */
  readonly replyMs?: number;
  /** Called once, when a member has answered. */
  readonly onDetected: (found: { readonly prefix: MemberPrefix; readonly member: string }) => void;
}

/** Ready, and not ready yet: both are said only by a member that knows the path. */
const answers = new Set([200, 503]);

/**
 * Asks the members' health probe under either prefix, in the background, until one of them answers.
 * Whatever else comes back decides nothing: a closed connection may be another prefix, a group that
 * is off, or a member that is just starting. The first answer counts for all members and for good.
 */
export function detectPrefix(deps: PrefixDetectionDeps): PrefixDetection {
  const { members, pauseMs = 5_000, replyMs = 2_000, onDetected } = deps;
  const end = new AbortController();
  let known: MemberPrefix | undefined;
  let pause: NodeJS.Timeout | undefined;
  void search();

  return {
    current: () => known ?? 'svc',
    close() {
      clearTimeout(pause);
      end.abort();
    },
  };

  async function search(): Promise<void> {
    for (const member of members) {
      for (const prefix of memberPrefixes) {
        const isFound = await answersTo(member, prefix, { replyMs, signal: end.signal });
        if (end.signal.aborted) return;
        if (isFound) {
          known = prefix;
          onDetected({ prefix, member });
          return;
        }
      }
    }
    pause = setTimeout(search, pauseMs).unref();
  }
}

async function answersTo(
  member: string,
  prefix: MemberPrefix,
  { replyMs, signal }: { readonly replyMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const client = new Client(member, {
    connectTimeout: replyMs,
    headersTimeout: replyMs,
    bodyTimeout: replyMs,
  });
  try {
    const reply = await client.request({ method: 'GET', path: `/${prefix}/health/ready`, signal });
    return answers.has(reply.statusCode);
  } catch {
    return false;
  } finally {
    // A member itself never closes a connection (reference §2), and nobody reads the body.
    await client.destroy();
  }
}
