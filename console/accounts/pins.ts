/** Names of maps and queues that a person has pinned: a few, theirs alone, and gone with the account. */
import { createSerial } from '../../platform/async/serial.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { RecordTransaction } from '../storage/record-store.ts';
import type { ArtifactStore } from '../storage/storage.ts';

export interface Pin {
  readonly kind: 'map' | 'queue';
  readonly name: string;
}

export type Pins = ReturnType<typeof createPins>;

/** Of one person. */
export const mostPins = 200;
const kind = 'Pins';

export function createPins({ artifacts }: { readonly artifacts: Pick<ArtifactStore, 'get' | 'put'> }) {
  const inTurn = createSerial();
  return {
    /** In the order in which they were pinned. */
    of,
    /** @returns whether it was not there. @throws {ProblemError} `conflict` for one too many */
    add: (accountId: string, pin: Pin): Promise<boolean> =>
      inTurn(async () => {
        const pins = await of(accountId);
        if (pins.some((one) => isSame(one, pin))) return false;
        if (pins.length === mostPins) {
          throw new ProblemError(
            problems.conflict,
            `More than ${mostPins} cannot be pinned: unpin one first.`,
          );
        }
        await put(accountId, [...pins, pin]);
        return true;
      }),
    /** @returns whether it was there */
    remove: (accountId: string, pin: Pin): Promise<boolean> =>
      inTurn(async () => {
        const pins = await of(accountId);
        const left = pins.filter((one) => !isSame(one, pin));
        if (left.length < pins.length) await put(accountId, left);
        return left.length < pins.length;
      }),
  };

  async function of(accountId: string): Promise<readonly Pin[]> {
    const found = await artifacts.get(kind, accountId);
    return (found?.payload.pins ?? []) as readonly Pin[];
  }

  async function put(accountId: string, pins: readonly Pin[]): Promise<void> {
    await artifacts.put(kind, accountId, { payload: { pins }, accountId });
  }
}

/** With the removal of the account in one commit: who gets its id later finds none. @param nowMs  epoch milliseconds */
export function dropPins(
  { putArtifact }: Pick<RecordTransaction, 'putArtifact'>,
  accountId: string,
  nowMs: number,
): void {
  putArtifact({ kind, id: accountId }, { payload: {}, expiresAt: Math.floor(nowMs / 1000), accountId });
}

function isSame(one: Pin, other: Pin): boolean {
  return one.kind === other.kind && one.name === other.name;
}
