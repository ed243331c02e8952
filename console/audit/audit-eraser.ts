/** Erases an entry: from the index, then from the files, when what says who wanted it is on the disk. */
import type { Entry } from './entry.ts';
import type { AuditReader } from './reader/questions.ts';

export interface ErasingTrail {
  synced(): Promise<void>;
  /** @throws {Error} */
  erase(writer: string, seq: number): Promise<void>;
}

/** What is killed on the way is asked for again: as long as the entry is there it can be erased. */
export function createAuditEraser({ synced, erase }: ErasingTrail, auditReader: AuditReader) {
  return {
    async erase(entry: Entry): Promise<void> {
      await synced();
      // Of what it says nothing is left to look for once it is gone.
      await auditReader.ask('forget', { entry });
      await erase(entry.writer, entry.seq);
      await auditReader.ask('forget', { entry });
    },
  };
}
