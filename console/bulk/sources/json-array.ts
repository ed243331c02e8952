/** The objects of one array in a large JSON document, without reading the document as a whole. */
import { mostBytes, SourceError, torn } from './source.ts';

export interface Element {
  /** Where it begins. */
  readonly line: number;
  readonly bytes?: Buffer;
  /** Why there are none. */
  readonly reason?: string;
}

/**
 * Several documents may follow each other, as `cat` writes them.
 *
 * @param name  of the array within the outermost object; absent: the document itself is the array
 * @throws {SourceError} when there is no such array
 */
export async function* elementsOf(bytes: AsyncIterable<Buffer>, name?: string): AsyncGenerator<Element> {
  const scanner = createScanner(name);
  for await (const chunk of bytes) yield* scanner.scan(chunk);
  yield* scanner.end();
}

const quote = 0x22;
const backslash = 0x5c;

/** Counts brackets; whether what is between them is JSON is found out by who reads an element. */
function createScanner(name: string | undefined) {
  /** Within the array, that many brackets are open. */
  const inside = name === undefined ? 1 : 2;
  const text = createTextReader();
  const element = createCollector();
  let depth = 0;
  let line = 1;
  let isWithin = false;
  let hasArray = false;

  function open(isArray: boolean, at: number): void {
    if (isArray && depth === 0 && name !== undefined) throw severalRealms();
    if (isArray && depth === inside - 1 && (name === undefined || text.last() === name)) {
      isWithin = true;
      hasArray = true;
    } else if (!isArray && isWithin && depth === inside) element.begin(line, at);
    depth++;
  }

  function close(chunk: Buffer, at: number): Element | undefined {
    depth--;
    if (depth < 0) throw new SourceError(`Line ${line}: this is not JSON.`);
    if (isWithin && depth === inside - 1) isWithin = false;
    return depth === inside && element.line() !== undefined ? element.end(chunk, at + 1) : undefined;
  }

  return {
    *scan(chunk: Buffer): Generator<Element> {
      element.nextChunk();
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!;
        if (byte === 0x0a) line++;
        if (text.isOpen()) text.read(byte);
        else if (byte === quote) text.begin(depth === 1);
        else if (byte === 0x7b || byte === 0x5b) open(byte === 0x5b, at);
        else if (byte === 0x7d || byte === 0x5d) {
          const found = close(chunk, at);
          if (found) yield found;
        }
      }
      element.addRest(chunk);
    },
    *end(): Generator<Element> {
      if (depth > 0 || text.isOpen()) yield { line: element.line() ?? line, reason: torn };
      else if (!hasArray) throw new SourceError(`There is no array ${name ?? ''} in the file.`);
    },
  };
}

/** Texts in quotation marks; of those in the outermost object, the last is the name of what comes. */
function createTextReader() {
  let isOpen = false;
  let isEscaped = false;
  let last = '';
  let bytes: number[] | undefined;

  return {
    isOpen: () => isOpen,
    last: () => last,
    begin(isNamed: boolean) {
      isOpen = true;
      bytes = isNamed ? [] : undefined;
    },
    read(byte: number) {
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) {
        isOpen = false;
        if (bytes) last = Buffer.from(bytes).toString('utf8');
      } else if (bytes && bytes.length < 64) bytes.push(byte);
    },
  };
}

/** The bytes of one element, over several chunks. */
function createCollector() {
  let begun: number | undefined;
  let from = 0;
  let size = 0;
  let parts: Buffer[] = [];

  return {
    /** Where the element that is open begins. */
    line: () => begun,
    begin(line: number, at: number) {
      [begun, from, size, parts] = [line, at, 0, []];
    },
    nextChunk() {
      from = 0;
    },
    /** What is too long is counted, and not held. */
    addRest(chunk: Buffer) {
      if (begun === undefined) return;
      size += chunk.length - from;
      if (size > mostBytes) parts = [];
      else parts.push(Buffer.from(chunk.subarray(from)));
    },
    end(chunk: Buffer, to: number): Element {
      const line = begun!;
      begun = undefined;
      if (size + to - from > mostBytes) return { line, reason: 'it is longer than 1 MiB' };
      return { line, bytes: Buffer.concat([...parts, chunk.subarray(from, to)]) };
    },
  };
}

function severalRealms(): SourceError {
  return new SourceError('Line 1: this holds several realms: export one, with kc.sh export --realm.');
}
