/**
 * Denials that an administrator knows of and does not want to be told about for some days. They are counted, logged and
 * listed as before.
 */
import { createHash } from 'node:crypto';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Registry } from '../storage/storage.ts';
import { type DenialCause, textOfCause } from './denial-cause.ts';

export interface MutedDenials extends DenialCause {
  /** The same for the same cause. */
  readonly id: string;
  /** Epoch milliseconds, both. */
  readonly mutedAt: number;
  readonly until: number;
  readonly by: { readonly kind: 'user' | 'client' | 'local'; readonly id: string };
}

export type DenialMutes = ReturnType<typeof createDenialMutes>;

/** At a time. */
export const mostMuted = 500;
const recordId = 'muted-denials';
const dayMs = 24 * 3600 * 1000;

export interface DenialMutesDeps {
  readonly registry: Pick<Registry, 'get' | 'update'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createDenialMutes({ registry, now }: DenialMutesDeps) {
  const lasting = (value: unknown) =>
    ((value ?? []) as readonly MutedDenials[]).filter(({ until }) => until > now());
  const list = () => lasting(registry.get('settings', recordId)?.value);

  return {
    /** Those that still count, by id. */
    list,
    /** What still counts of this cause. */
    of: (cause: DenialCause): MutedDenials | undefined => find(list(), idOf(cause)),
    /**
     * From now on for so many days; what is muted already is so for as long from now.
     *
     * @returns what there was before, and what there is now
     * @throws {ProblemError} `conflict` for one too many
     */
    mute: (cause: DenialCause, days: number, by: MutedDenials['by']) =>
      change((muted) => {
        const id = idOf(cause);
        const others = muted.filter((one) => one.id !== id);
        if (others.length >= mostMuted) throw tooMany();
        const { who, permission, structure, name } = cause;
        const mutedAt = now();
        const after = { id, who, permission, structure, name, mutedAt, until: mutedAt + days * dayMs, by };
        return { all: [...others, after], answer: { before: find(muted, id), after } };
      }),
    /** @returns what there was; undefined: none */
    unmute: (id: string): Promise<MutedDenials | undefined> =>
      change((muted) => ({ all: muted.filter((one) => one.id !== id), answer: find(muted, id) })),
  };

  function change<Answer>(
    make: (muted: readonly MutedDenials[]) => {
      readonly all: readonly MutedDenials[];
      readonly answer: Answer;
    },
  ): Promise<Answer> {
    return registry.update((transaction) => {
      const { all, answer } = make(lasting(transaction.get('settings', recordId)?.value));
      const value = [...all].sort((one, other) => (one.id < other.id ? -1 : 1));
      transaction.put('settings', { id: recordId, value });
      return answer;
    });
  }
}

function find(muted: readonly MutedDenials[], id: string): MutedDenials | undefined {
  return muted.find((one) => one.id === id);
}

function idOf(cause: DenialCause): string {
  return createHash('sha256').update(textOfCause(cause)).digest('base64url').slice(0, 22);
}

function tooMany(): ProblemError {
  return new ProblemError(problems.conflict, `More than ${mostMuted} cannot be muted: unmute one first.`);
}
