/**
 * `/members/{uuid or host:port}/svc/…`: the same surface, at one member (docs/surface.md#addresses). In either form
 * `hazelcast` may stand for `svc`, for scripts that were written for the real engine.
 */
import { ProblemError, problems } from '../../platform/errors.ts';

export interface MemberTarget {
  /** UUID or `host:port`, lower-case; undefined when any member will do. */
  readonly member: string | undefined;
  /** What is left of the target, starting with `/svc/`. */
  readonly url: string;
}

const memberPath = /^\/members\/([^/?#]{1,300})\/(?:svc|hazelcast)(\/.*)$/s;
const engineStart = '/hazelcast/';
/** A UUID, a name or an IPv4 address with a port, an IPv6 address in brackets with a port. */
const memberName = /^(?:[0-9a-z][0-9a-z.-]*(?::\d{1,5})?|\[[0-9a-f:.]+\]:\d{1,5})$/;

/**
 * @param url  the target as received
 * @throws {ProblemError} `not_found` for a path below `/members/` that names no member's surface
 */
export function readMemberTarget(url: string): MemberTarget {
  if (!url.startsWith('/members/')) return { member: undefined, url: withOurStart(url) };
  const [, name, rest] = memberPath.exec(url) ?? [];
  const member = decoded(name)?.toLowerCase();
  if (member === undefined || rest === undefined || !memberName.test(member)) {
    throw new ProblemError(
      problems.notFound,
      'Below /members/ comes a UUID or host:port, and then /svc/…; GET /svc/rest/cluster lists the members',
    );
  }
  return { member, url: `/svc${rest}` };
}

function withOurStart(url: string): string {
  return url.startsWith(engineStart) ? `/svc/${url.slice(engineStart.length)}` : url;
}

/** Brackets and colons may come encoded. */
function decoded(name: string | undefined): string | undefined {
  try {
    return name && decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** For callers who have proven who they are; nobody else learns which members there are (S57). */
export function noSuchMember(): ProblemError {
  return new ProblemError(
    problems.notFound,
    'No member of this name is known here; GET /svc/rest/cluster lists the members',
  );
}
