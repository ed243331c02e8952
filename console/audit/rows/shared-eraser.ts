/** Erases an entry where several consoles share the audit: its row, then the file of its console, wherever that is. */
import { createSerial } from '../../../platform/async/serial.ts';
import type { ErasingTrail } from '../audit-eraser.ts';
import type { Entry } from '../entry.ts';
import { MissingEntryError } from '../erasure.ts';
import type { SharedAuditReader } from './shared-questions.ts';

/** @param trail  `synced` resolves when the database has what was said: who wanted it */
export function createSharedEraser({ synced, erase }: ErasingTrail, reader: SharedAuditReader) {
  const inTurn = createSerial();

  return {
    /** @throws {Error} and its file may still have it: it is tried again */
    async erase({ writer, seq }: Entry): Promise<void> {
      await synced();
      const { isHere } = await reader.askShared('erase', { writer, seq });
      if (isHere) await eraseHere(writer, seq);
    },
    /** One that was erased elsewhere. Never rejects: whoever said it says it again. */
    async eraseHere(writer: string, seq: number): Promise<void> {
      await eraseHere(writer, seq).catch(() => {});
    },
  };

  function eraseHere(writer: string, seq: number): Promise<void> {
    return inTurn(async () => {
      try {
        await erase(writer, seq);
      } catch (error) {
        // Copied files go after a day.
        if (!(error instanceof MissingEntryError)) throw error;
      }
      await reader.askShared('erased', { writer, seq });
    });
  }
}
