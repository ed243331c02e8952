import type { OutgoingBody } from '../../http/client/outgoing-body.ts';
import type { Member } from '../members/members.ts';
import { fillPositionalBody, type MemberCredentials, type PositionalFields } from './positional-body.ts';

export type BodyFor = (member: Member) => OutgoingBody | undefined;

export interface PositionalBody {
  /** As received. */
  readonly content: Buffer;
  readonly contentType: string | undefined;
  readonly positionalFields: PositionalFields;
}

/**
 * @param ownCredentials  for members that have none of their own
 * @returns throws {@link ProblemError} `invalid_request` when the number of fields is not right
 */
export function filledFor(
  { content, contentType, positionalFields }: PositionalBody,
  ownCredentials: MemberCredentials,
): BodyFor {
  return ({ credentials = ownCredentials, prefix }) => {
    const { content: filled, isConfigured } = fillPositionalBody(content, contentType, positionalFields, {
      credentials,
      prefix,
    });
    return { content: filled, length: filled.length, hasConfiguredCredentials: isConfigured };
  };
}

/** For a call that has no body here and takes positional fields at the real engine alone: both empty, so that they are filled in. */
export function filledAtEngine(
  positionalFields: PositionalFields,
  ownCredentials: MemberCredentials,
): BodyFor {
  const content = Buffer.from('&'.repeat(positionalFields.length - 1));
  const filled = filledFor({ content, contentType: undefined, positionalFields }, ownCredentials);
  return (member) => (member.prefix === 'hazelcast' ? filled(member) : undefined);
}

/** Those that take the very body that was filled in for the first: a retry stays among them. */
export function thatTakeTheSame(candidates: readonly Member[]): readonly Member[] {
  const [first] = candidates;
  return candidates.filter(
    ({ credentials, prefix }) => credentials === first?.credentials && prefix === first?.prefix,
  );
}
