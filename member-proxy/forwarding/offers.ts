/**
 * Offers to queues, in the form that each member reads as it is meant. The real engine takes what stands behind the last
 * slash for the item, after decoding, and all before it for the queue (docs/member-surface.md#queues): an item with a slash would go to
 * a queue that nobody reads, and past the scope of its own.
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Rule } from '../authorization/rule-table.ts';
import type { Member } from '../members/members.ts';
import type { Target } from '../request-target.ts';

/** An offer with its item in the body, which no member reads otherwise (docs/member-surface.md#queues). */
export interface OfferInBody {
  readonly target: Target;
  readonly item: Buffer;
  /** What members give an item from the path. */
  readonly contentType: 'text/plain';
}

const queues = '/svc/rest/queues/';
const encodedSlash = /%2f/i;

/** @returns undefined where the path is read as it stands: for every other call, and for items without a slash */
export function offerInBody({ structure }: Rule, { sent, path }: Target): OfferInBody | undefined {
  if (structure?.action !== 'offer' || sent.length !== path.length || !encodedSlash.test(path))
    return undefined;
  const slash = path.indexOf('/', queues.length);
  const item = slash === -1 ? '' : path.slice(slash + 1, path.endsWith('/') ? -1 : undefined);
  if (!encodedSlash.test(item)) return undefined;
  const queue = path.slice(0, slash);
  return {
    target: { sent: queue, path: queue },
    item: Buffer.from(decodeURIComponent(item)),
    contentType: 'text/plain',
  };
}

/** @throws {ProblemError} `invalid_request`: one member would refuse a query, and another take it for part of a name */
export function checkOffer({ structure }: Rule, { sent, path }: Target): void {
  if (structure?.action === 'offer' && sent.length !== path.length) {
    throw invalid('An offer to a queue has no query: write ? as %3F, or send the item in the body');
  }
}

/** @throws {ProblemError} `invalid_request` where one of the members could not tell the queue's name from an item */
export function checkQueueName(
  { structure }: Rule,
  { path }: Target,
  candidates: readonly Pick<Member, 'prefix'>[],
): void {
  if (structure?.action !== 'offer' || !encodedSlash.test(path)) return;
  const [name = ''] = path.slice(queues.length).split('/', 1);
  if (encodedSlash.test(name) && candidates.some(({ prefix }) => prefix === 'hazelcast')) {
    throw invalid('The queue’s name has a slash: the members would take it for an offer to another queue');
  }
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
