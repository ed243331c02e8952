/** How `registry.json` is written and what is accepted when it is read back. */
import { crc32 } from 'node:zlib';
import { type Collection, collections, type RegistryRecords } from '../../records.ts';
import { StorageRejectedError } from '../../storage.ts';
import { deepFreeze, emptyState, type RegistryState } from './registry-state.ts';

/** Raised when an older console could no longer read the file. */
const formatVersion = 1;

/** Text that is made at once, so that a large registry does not hold up the event loop while it is written. */
const sliceCharacters = 64 * 1024;

/** One record per line, so that two copies can be compared with line tools. */
export function* formatRegistry(state: RegistryState): Generator<string, void> {
  let slice = '';
  let sum = 0;
  for (const part of parts(state)) {
    slice += part;
    if (slice.length < sliceCharacters) continue;
    sum = crc32(slice, sum);
    yield slice;
    slice = '';
  }
  yield `${slice},\n"crc32":"${hex(crc32(slice, sum))}"}\n`;
}

/** The last line: a sum (CRC-32) over all before it. Without one, the file is of an earlier release. */
const sumLine = /,\n"crc32":"([0-9a-f]{8})"\}\n$/;

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}

function* parts(state: RegistryState): Generator<string, void> {
  yield `{"version":${formatVersion}`;
  for (const collection of collections) {
    yield `,\n"${collection}":[`;
    let separator = '\n';
    for (const record of state[collection].values()) {
      yield separator + JSON.stringify(record);
      separator = ',\n';
    }
    yield state[collection].size > 0 ? '\n]' : ']';
  }
}

/**
 * @param file  named in the error
 * @throws {StorageRejectedError} `corrupt` or `newer` (S76)
 */
export function parseRegistry(text: string, file: string): RegistryState {
  const content = parseObject(text, file);
  const { version } = content;
  if (!Number.isInteger(version) || (version as number) < 1) throw corrupt(file, 'it carries no version');
  if ((version as number) > formatVersion) {
    throw new StorageRejectedError(
      'newer',
      `${file} was written by a newer console (format ${version}, this one knows ${formatVersion}): ` +
        'start the newer console, or bring a backup back with: npx console restore <backup>',
    );
  }
  checkSum(text, content, file);
  const state: Record<Collection, ReadonlyMap<string, unknown>> = emptyState();
  // A collection that the file does not have yet came with a later release and is empty.
  for (const collection of collections) {
    if (content[collection] !== undefined)
      state[collection] = parseRecords(content[collection], collection, file);
  }
  return state as RegistryState;
}

const names: readonly string[] = ['version', 'crc32', ...collections];

function checkSum(text: string, content: Record<string, unknown>, file: string): void {
  // A damaged name would make its part disappear.
  if (Object.keys(content).some((name) => !names.includes(name)))
    throw corrupt(file, 'it has an unknown part');
  if (content.crc32 === undefined) return;
  const line = sumLine.exec(text);
  if (line?.[1] === hex(crc32(text.slice(0, line?.index ?? 0)))) return;
  throw corrupt(
    file,
    'its checksum does not fit, so it is damaged, or was changed by hand (who did that takes the part "crc32" out)',
  );
}

function parseObject(text: string, file: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw corrupt(file, text.length === 0 ? 'it is empty' : 'it is not complete JSON', error);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw corrupt(file, 'it holds no registry');
  }
  return content as Record<string, unknown>;
}

function parseRecords(
  list: unknown,
  collection: Collection,
  file: string,
): ReadonlyMap<string, RegistryRecords[Collection]> {
  if (!Array.isArray(list)) throw corrupt(file, `its ${collection} are no list`);
  const records = new Map<string, RegistryRecords[Collection]>();
  for (const record of list) {
    const id: unknown = record?.id;
    if (typeof id !== 'string' || records.has(id)) throw corrupt(file, `its ${collection} are damaged`);
    records.set(id, deepFreeze(record));
  }
  return records;
}

/** The file stays as it is: what is left in it may still be worth something to the operator. */
export function corrupt(path: string, what: string, cause?: unknown): StorageRejectedError {
  return new StorageRejectedError(
    'corrupt',
    `${path} cannot be used: ${what}. It was left untouched; bring a backup back with: npx console restore <backup>`,
    { cause },
  );
}
