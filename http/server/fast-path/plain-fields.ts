import type { IncomingHttpHeaders } from 'node:http';
import { endsInTab, fieldLine, fieldValue } from './field-line.ts';

const endOfFields = '\r\n\r\n';
const lengthForm = /^(?:0|[1-9]\d{0,8})$/;

/** Fields that change how a request is read or answered: with one of them it is not plain. */
const special = new Set([
  'dpop',
  'expect',
  'http2-settings',
  'keep-alive',
  'origin',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The field lines of a request in which nothing needs a second look. */
export class PlainFields {
  /** As received, with the empty line behind them. */
  readonly bytes: Buffer;
  /** Names and values in turn. */
  readonly rawHeaders: string[];
  /** Bytes; undefined without `Content-Length`. */
  readonly bodyLength: number | undefined;
  private byName: IncomingHttpHeaders | undefined;

  private constructor(bytes: Buffer, rawHeaders: string[], bodyLength: number | undefined) {
    this.bytes = bytes;
    this.rawHeaders = rawHeaders;
    this.bodyLength = bodyLength;
  }

  /** By lower-case name, repeated fields joined (RFC 9110 §5.3); made when somebody asks. */
  get headers(): IncomingHttpHeaders {
    this.byName ??= joined(this.rawHeaders);
    return this.byName;
  }

  /** Whether the very same bytes stand there. */
  standAt(bytes: Buffer, from: number): boolean {
    const end = from + this.bytes.length;
    return end <= bytes.length && bytes.compare(this.bytes, 0, this.bytes.length, from, end) === 0;
  }

  /**
   * @param bytes  up to the first empty line and with it; a copy is kept
   * @returns undefined when they are not plain
   */
  static read(bytes: Buffer): PlainFields | undefined {
    const rawHeaders: string[] = [];
    let hasHost = false;
    let hasConnection = false;
    let hasType = false;
    let bodyLength: number | undefined;
    const text = bytes.toString('latin1', 0, bytes.length - endOfFields.length);
    for (const line of text.split('\r\n')) {
      const [, name, padded] = fieldLine.exec(line) ?? [];
      if (name === undefined) return undefined;
      const value = fieldValue(padded!);
      const lowerName = name.toLowerCase();
      if (special.has(lowerName)) return undefined;
      if (lowerName === 'host') {
        if (hasHost) return undefined;
        hasHost = true;
      } else if (lowerName === 'connection') {
        if (hasConnection || value.toLowerCase() !== 'keep-alive') return undefined;
        hasConnection = true;
      } else if (lowerName === 'content-type') {
        // Of two, Node's server and the real engine take the first; joined they would be none.
        if (hasType) return undefined;
        hasType = true;
      } else if (lowerName === 'content-length') {
        if (bodyLength !== undefined || !lengthForm.test(value) || endsInTab(padded!, value))
          return undefined;
        bodyLength = Number(value);
      }
      rawHeaders.push(name, value);
    }
    return hasHost ? new PlainFields(Buffer.from(bytes), rawHeaders, bodyLength) : undefined;
  }
}

function joined(rawHeaders: readonly string[]): IncomingHttpHeaders {
  const headers: Record<string, string> = Object.create(null);
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = rawHeaders[i + 1]!;
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}
