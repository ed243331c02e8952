/**
 * The text of `registry.json`, of every format: a version, collections with one record to the line, so that two copies
 * can be compared with line tools, and a sum of all before it.
 */
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { StorageRejectedError } from '../../storage.ts';

export interface RegistryShape {
  /** Raised when an older console could no longer read the file. */
  readonly version: number;
  readonly collections: readonly string[];
}

/** Parts of such a text, in the order in which they are asked for. */
export function createRegistryText(version: number) {
  let sum = 0;
  let separator = '';
  const summed = (text: string) => {
    sum = crc32(text, sum);
    return text;
  };
  return {
    start: () => summed(`{"version":${version}`),
    open(collection: string) {
      separator = '\n';
      return summed(`,\n"${collection}":[`);
    },
    record(record: unknown) {
      const text = separator + JSON.stringify(record);
      separator = ',\n';
      return summed(text);
    },
    close: () => summed(separator === '\n' ? ']' : '\n]'),
    end: () => `,\n"crc32":"${hex(sum)}"}\n`,
  };
}

/** The last line: a sum (CRC-32) over all before it. Without one, the file is of an earlier release. */
const sumLine = /,\n"crc32":"([0-9a-f]{8})"\}\n$/;

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}

const headBytes = 64;

/** @returns the version of a registry file, when it can be told at all; whether the rest is whole is another question */
export function registryVersion(file: string): number | undefined {
  const head = headOf(file);
  const [, version] = /^\{"version":(\d+)[,}]/.exec(head) ?? [];
  if (version !== undefined) return Number(version);
  if (head === '') return undefined;
  try {
    // Somebody has edited it.
    const { version: found } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: unknown };
    return typeof found === 'number' ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Of a file that is not there, nothing. */
function headOf(file: string): string {
  if (!existsSync(file)) return '';
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(headBytes);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, headBytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

export interface IdentifiedRecord {
  readonly id: string;
}

/**
 * @param file  named in the error
 * @returns the records of each collection by their ids; one that the file does not have is empty
 * @throws {StorageRejectedError} `corrupt` or `newer` (S76)
 */
export function parseRegistryText(
  text: string,
  file: string,
  shape: RegistryShape,
): Record<string, Map<string, IdentifiedRecord>> {
  const content = parseObject(text, file);
  checkVersion(content.version, file, shape);
  checkSum(text, content, file, shape);
  const parsed = shape.collections.map((collection) => {
    const list = content[collection];
    return [collection, list === undefined ? new Map() : parseRecords(list, collection, file)];
  });
  return Object.fromEntries(parsed);
}

function checkVersion(version: unknown, file: string, shape: RegistryShape): void {
  if (!Number.isInteger(version) || (version as number) < 1) throw corrupt(file, 'it carries no version');
  if ((version as number) > shape.version) {
    throw new StorageRejectedError(
      'newer',
      `${file} was written by a newer console (format ${version}, this one knows ${shape.version}): ` +
        'start the newer console, or bring a backup back with: npx console restore <backup>',
    );
  }
  if ((version as number) < shape.version)
    throw corrupt(file, `it is of an earlier release (format ${version})`);
}

function checkSum(
  text: string,
  content: Record<string, unknown>,
  file: string,
  { collections }: RegistryShape,
): void {
  // A damaged name would make its part disappear.
  const names = ['version', 'crc32', ...collections];
  if (Object.keys(content).some((name) => !names.includes(name)))
    throw corrupt(file, 'it has an unknown part');
  if (content.crc32 === undefined) return;
  const line = sumLine.exec(text.slice(-64));
  const summed = text.slice(0, text.length - (line?.[0].length ?? 0));
  if (line?.[1] === hex(crc32(summed))) return;
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

function parseRecords(list: unknown, collection: string, file: string): Map<string, IdentifiedRecord> {
  if (!Array.isArray(list)) throw corrupt(file, `its ${collection} are no list`);
  const records = new Map<string, IdentifiedRecord>();
  for (const record of list) {
    const id: unknown = record?.id;
    if (typeof id !== 'string' || records.has(id)) throw corrupt(file, `its ${collection} are damaged`);
    records.set(id, record);
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
