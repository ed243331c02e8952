/** A collector of OpenTelemetry on this machine: what it is sent by OTLP over HTTP, read from its protobuf. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, string | number>>;
  }[];
  /** 2: an error. */
  readonly status: number;
  /** Of the process. */
  readonly instance: string;
}

export interface Collector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Of the last time, by name: points with their attributes. */
  readonly metrics: Map<string, readonly ReceivedPoint[]>;
  readonly headers: IncomingHttpHeaders[];
  /** Everything that came, for what must not be in it. */
  readonly bodies: Buffer[];
  close(): Promise<void>;
}

export interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Of a histogram. */
  readonly counts: readonly number[];
}

/** @param answer  `hang`: it takes connections and says nothing */
export async function startCollector(answer: 'takes' | 'rejects' | 'hangs' = 'takes'): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Map<string, readonly ReceivedPoint[]>();
  const headers: IncomingHttpHeaders[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      headers.push(req.headers);
      bodies.push(body);
      if (answer === 'hangs') return;
      if (req.url === '/v1/traces') spans.push(...spansIn(body));
      else if (req.url === '/v1/metrics')
        for (const [name, points] of metricsIn(body)) metrics.set(name, points);
      res.writeHead(answer === 'takes' ? 200 : 400, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    headers,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** One message of protobuf: values by the number of their field. */
type Message = Map<number, (bigint | number | Buffer)[]>;

function read(bytes: Buffer): Message {
  const fields: Message = new Map();
  let at = 0;
  while (at < bytes.length) {
    const key = varint();
    const field = Number(key >> 3n);
    fields.set(field, [...(fields.get(field) ?? []), nextValue(Number(key & 7n))]);
  }
  return fields;

  function nextValue(wire: number): bigint | number | Buffer {
    if (wire === 0) return varint();
    if (wire === 1 || wire === 5) {
      const size = wire === 1 ? 8 : 4;
      at += size;
      return bytes.subarray(at - size, at);
    }
    if (wire !== 2) throw new Error(`no such wire type: ${wire}`);
    const length = Number(varint());
    at += length;
    return bytes.subarray(at - length, at);
  }

  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(bytes[at++]!);
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return value;
    }
  }
}

const all = (message: Message, field: number) =>
  (message.get(field) ?? []).map((value) => read(value as Buffer));
const bytesOf = (message: Message, field: number) =>
  (message.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
const textOf = (message: Message, field: number) => bytesOf(message, field).toString();
const idOf = (message: Message, field: number) => bytesOf(message, field).toString('hex');

function attributesOf(message: Message, field: number): Record<string, string | number> {
  return Object.fromEntries(
    all(message, field).map((pair) => {
      const value = all(pair, 2)[0]!;
      if (value.has(1)) return [textOf(pair, 1), textOf(value, 1)];
      if (value.has(3)) return [textOf(pair, 1), Number(value.get(3)![0])];
      return [textOf(pair, 1), bytesOf(value, 4).readDoubleLE()];
    }),
  );
}

function spansIn(body: Buffer): ReceivedSpan[] {
  return all(read(body), 1).flatMap((ofResource) => {
    const instance = String(attributesOf(all(ofResource, 1)[0]!, 1)['service.instance.id']);
    return all(ofResource, 2)
      .flatMap((ofScope) => all(ofScope, 2))
      .map((span) => ({
        name: textOf(span, 5),
        traceId: idOf(span, 1),
        spanId: idOf(span, 2),
        parentId: idOf(span, 4),
        kind: Number(span.get(6)?.[0] ?? 0),
        durationMs: Number(bytesOf(span, 8).readBigUInt64LE() - bytesOf(span, 7).readBigUInt64LE()) / 1e6,
        attributes: attributesOf(span, 9),
        events: all(span, 11).map((event) => ({
          name: textOf(event, 2),
          attributes: attributesOf(event, 3),
        })),
        status: Number(all(span, 15)[0]?.get(3)?.[0] ?? 0),
        instance,
      }));
  });
}

function metricsIn(body: Buffer): [string, ReceivedPoint[]][] {
  const found = all(read(body), 1)
    .flatMap((ofResource) => all(ofResource, 2))
    .flatMap((ofScope) => all(ofScope, 2));
  return found.map((metric) => {
    // Gauge, sum, histogram.
    const numbers = [...all(metric, 5), ...all(metric, 7)].flatMap((data) => all(data, 1));
    const histograms = all(metric, 9).flatMap((data) => all(data, 1));
    return [
      textOf(metric, 1),
      [
        ...numbers.map((point) => ({
          attributes: attributesOf(point, 7),
          value: point.has(4) ? bytesOf(point, 4).readDoubleLE() : Number(bytesOf(point, 6).readBigInt64LE()),
          counts: [],
        })),
        ...histograms.map((point) => ({
          attributes: attributesOf(point, 9),
          value: Number(bytesOf(point, 4).readBigUInt64LE()),
          counts: countsIn(bytesOf(point, 6)),
        })),
      ],
    ];
  });
}

/** Packed. */
function countsIn(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 8 }, (_, index) => Number(bytes.readBigUInt64LE(index * 8)));
}
