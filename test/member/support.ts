import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { loadMemberConfig } from '../../member/config/load.ts';
import { type Member, type MemberOptions, startMember } from '../../member/member.ts';

/** A member file with REST and the data calls on; `more` is YAML for the `svc` section, unindented. */
export function memberFile(more = ''): string {
  const rest = 'network:\n  rest-api:\n    enabled: true\n    endpoint-groups: { DATA: { enabled: true } }';
  return `svc:\n${`${rest}\n${more}`.replace(/^/gm, '  ')}\n`;
}

/** Starts a member on any free port and stops it when the test ends. */
export async function startTestMember(
  file: string = memberFile(),
  options: Partial<MemberOptions> = {},
): Promise<Member & { call: (method: string, path: string, init?: CallInit) => Promise<Reply> }> {
  const config = loadMemberConfig(file, { file: 'member.yaml' });
  const member = await startMember({ config, host: '127.0.0.1', port: 0, ...options });
  onTestFinished(() => member.close());
  return { ...member, call: (method, path, init) => call(`${member.address}${path}`, method, init) };
}

export interface CallInit {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly type?: string;
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly type: string | null;
  readonly length: string | null;
  readonly body: string;
  readonly headers: Headers;
}

/** One call, its reply read whole. Bytes rather than text, so that no MIME type is added. */
export async function call(url: string, method: string, init: CallInit = {}): Promise<Reply> {
  const { body, type, signal } = init;
  const res = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? Buffer.from(body) : body }),
    ...(type === undefined ? {} : { headers: { 'Content-Type': type } }),
    ...(signal === undefined ? {} : { signal }),
  });
  const { headers } = res;
  return {
    status: res.status,
    type: headers.get('content-type'),
    length: headers.get('content-length'),
    body: await res.text(),
    headers,
  };
}

/** An empty reply as the specification has it: the status, no body, `Content-Length: 0` (none on 204). */
export function empty(status: number): Partial<Reply> {
  return { status, body: '', length: status === 204 ? null : '0', type: null };
}

export interface RawConnection {
  readonly socket: Socket;
  send(text: string): void;
  /** Everything received so far, once `isEnough` holds for it or the member has closed. */
  received(isEnough: (text: string) => boolean): Promise<string>;
  closed(): Promise<string>;
}

/** A connection that sends what no HTTP client would. */
export async function connectRaw(port: number): Promise<RawConnection> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  let isClosed = false;
  const changes = new Set<() => void>();
  const changed = () => {
    for (const change of changes) change();
  };
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    changed();
  });
  const onEnd = () => {
    isClosed = true;
    changed();
  };
  socket.on('end', onEnd).on('error', onEnd).on('close', onEnd);
  await new Promise((resolve) => socket.once('connect', resolve));

  function until(isEnough: () => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        changes.delete(check);
        reject(new Error(`not received in time; received so far: ${JSON.stringify(text)}`));
      }, 10_000);
      function check() {
        if (!isEnough()) return;
        clearTimeout(timer);
        changes.delete(check);
        resolve(text);
      }
      changes.add(check);
      check();
    });
  }
  return {
    socket,
    send: (request) => void socket.write(request, 'latin1'),
    received: (isEnough) => until(() => isClosed || isEnough(text)),
    closed: () => until(() => isClosed),
  };
}

export function pollRequest(queue: string, seconds = 20): string {
  return `DELETE /svc/rest/queues/${queue}/${seconds} HTTP/1.1\r\nHost: m\r\n\r\n`;
}

/** Sends a poll and resolves when the member has it: it came in one piece with a request that is answered. */
export async function waitingPoll(port: number, queue: string, seconds?: number): Promise<RawConnection> {
  const raw = await connectRaw(port);
  raw.send(`GET /svc/health/ready HTTP/1.1\r\nHost: m\r\n\r\n${pollRequest(queue, seconds)}`);
  await raw.received((text) => text.includes('\r\n\r\n'));
  return raw;
}

/** Repeats `probe` until `isDone` holds for what it gives; fails after 10 s. */
export async function eventually<T>(probe: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const value = await probe();
    if (isDone(value)) return value;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)} after 10 s`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}
