/** An audit with as many entries as asked for, made by the console's own writer and indexer before a console opens it. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signingKey } from '../../console/audit/checkpoint.ts';
import { createEntryBody } from '../../console/audit/entry.ts';
import { openIndexStore } from '../../console/audit/index/index-store.ts';
import { createIndexer } from '../../console/audit/index/indexer.ts';
import { createKnownSegments } from '../../console/audit/index/known-segments.ts';
import { closeSegment } from '../../console/audit/segments/segment-closing.ts';
import type { Segment } from '../../console/audit/segments/segment-form.ts';
import { entriesOfSegment } from '../../console/audit/segments/segment-reader.ts';
import { openWriter, type Writer, writerLimits } from '../../console/audit/writer.ts';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { fieldsOf, timeOf } from './made-entries.ts';

/** Whose entries they are: the console that opens the store writes under a name of its own. */
export const madeWriter = 'made';
/** Entries between two writes. */
const batchEntries = 512;
/** As of a console with a thousand entries a second. */
const checkpointEntries = 1000;

export interface MadeAudit {
  readonly dataDir: string;
  readonly size: number;
  /** Public part of the key that signed, a file. */
  readonly key: string;
}

/** Made once, and used again where it stands; one that was stopped goes on. */
export async function makeAudit(dataDir: string, size: number): Promise<MadeAudit> {
  const key = `${dataDir}.pem`;
  const made = `${dataDir}.audit-made`;
  if (existsSync(made)) return { dataDir, size, key };
  // A console takes no directory that another program has begun.
  await (await openStorage({ dataDir, role: 'tool' })).close();
  const directory = join(dataDir, 'audit');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const signing = signingKey(Buffer.alloc(32, 7).toString('base64url'));
  writeFileSync(key, signing.publicPem);
  await writeEntries(directory, size, signing);
  await indexEntries(dataDir);
  writeFileSync(made, '');
  return { dataDir, size, key };
}

async function writeEntries(
  directory: string,
  size: number,
  key: ReturnType<typeof signingKey>,
): Promise<void> {
  const full: Segment[] = [];
  let writer: Writer | undefined;
  writer = openWriter({
    directory,
    writer: madeWriter,
    now: () => timeOf(writer?.seq() ?? 0, size),
    limits: { ...writerLimits, checkpointEntries },
    onCheckpoint() {},
    onFull: (segment) => full.push(segment),
  });
  writer.useKey(key);
  const bodyOf = createEntryBody();
  while (writer.seq() < size) {
    for (let i = 0; i < batchEntries; i++) {
      const number = writer.seq();
      writer.add(bodyOf(fieldsOf(number), timeOf(number, size)));
    }
    writer.write();
    await closeFull(full);
  }
  writer.close();
  await closeFull(full);
}

async function closeFull(full: Segment[]): Promise<void> {
  for (let segment = full.shift(); segment; segment = full.shift()) {
    if (!existsSync(segment.path)) continue;
    const entries = entriesOfSegment(segment, madeWriter, {});
    await closeSegment({ segment, header: segment.header!, entries });
    process.stderr.write(`file ${segment.number} is closed\n`);
  }
}

async function indexEntries(dataDir: string): Promise<void> {
  const store = openIndexStore(join(dataDir, 'audit-index'));
  const indexer = createIndexer({ store, segments: createKnownSegments(join(dataDir, 'audit')) });
  await indexer.catchUp();
  await store.close();
}
