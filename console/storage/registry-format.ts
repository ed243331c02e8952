/** How `registry.json` is written and what is accepted when it is read back. */
import { type Collection, collections, type RegistryRecords } from './records.ts';
import { deepFreeze, emptyState, type RegistryState } from './registry-state.ts';
import { StorageRefusedError } from './storage.ts';

/** Raised when an older console could no longer read the file. */
const formatVersion = 1;

/** Text that is made at once, so that a large registry does not hold up the event loop while it is written. */
const sliceCharacters = 64 * 1024;

/** One record per line, so that two copies can be compared with line tools. */
export function* formatRegistry(state: RegistryState): Generator<string, void> {
  let slice = '';
  for (const part of parts(state)) {
    slice += part;
    if (slice.length < sliceCharacters) continue;
    yield slice;
    slice = '';
  }
  yield slice;
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
  yield '}\n';
}

/**
 * @param file  named in the refusal
 * @throws {StorageRefusedError} `corrupt` or `newer` (S76)
 */
export function parseRegistry(text: string, file: string): RegistryState {
  const content = parseObject(text, file);
  const { version } = content;
  if (!Number.isInteger(version) || (version as number) < 1) throw corrupt(file, 'it carries no version');
  if ((version as number) > formatVersion) {
    throw new StorageRefusedError(
      'newer',
      `${file} was written by a newer console (format ${version}, this one knows ${formatVersion}): ` +
        'start the newer console, or bring a backup back with: npx console restore <backup>',
    );
  }
  const state: Record<Collection, ReadonlyMap<string, unknown>> = emptyState();
  // A collection that the file does not have yet came with a later release and is empty.
  for (const collection of collections) {
    if (content[collection] !== undefined)
      state[collection] = parseRecords(content[collection], collection, file);
  }
  return state as RegistryState;
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
export function corrupt(path: string, what: string, cause?: unknown): StorageRefusedError {
  return new StorageRefusedError(
    'corrupt',
    `${path} cannot be used: ${what}. It was left untouched; bring a backup back with: npx console restore <backup>`,
    { cause },
  );
}
