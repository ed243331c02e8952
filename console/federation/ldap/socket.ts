/** Opens the way to a directory: a socket over which a password may travel, or none. */
import { on, once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { BerReader } from 'ldapts';
import { isLoopbackAddress } from '../../http/outbound/loopback.ts';
import type { LdapSettings } from '../providers/schema.ts';

export type DirectoryAddress = Pick<LdapSettings, 'url' | 'startTls' | 'ca' | 'allowPlaintext'>;

/**
 * @param timeoutMs  for all of it: name, connection, StartTLS and handshake
 * @throws {Error} when there is no connection, or none that may carry a password; nothing was sent then
 */
export async function openDirectorySocket(
  { url, startTls, ca, allowPlaintext }: DirectoryAddress,
  timeoutMs: number,
): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const usualPort = protocol === 'ldaps:' ? 636 : 389;
  const socket = connect({ host, port: Number(port) || usualPort, noDelay: true }).on('error', ignore);
  const { signal, abort } = endedBy(socket);
  const timer = setTimeout(() => abort(`no connection after ${timeoutMs} ms`), timeoutMs);
  let current = socket;
  try {
    await once(socket, 'connect', { signal });
    if (protocol === 'ldap:' && !startTls) {
      // The name may have been pointed elsewhere since it was checked: the peer's address decides.
      if (allowPlaintext || isLoopbackAddress(socket.remoteAddress ?? '')) return socket;
      throw new Error('the connection would carry passwords in the clear');
    }
    if (startTls) await requestTls(socket, signal);
    // A certificate is always checked; for an address instead of a name, against the addresses in it.
    const servername = isIP(host) === 0 ? host : undefined;
    current = connectSecurely({ socket, host, servername, ca, minVersion: 'TLSv1.2' }).on('error', ignore);
    await once(current, 'secureConnect', { signal });
    return current;
  } catch (error) {
    current.destroy();
    socket.destroy();
    throw error instanceof Error && error.name === 'AbortError' ? signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Whoever waits hears of it; an error that comes when nobody does must not end the process. */
function ignore(): void {}

function endedBy(socket: Socket) {
  const controller = new AbortController();
  const abort = (reason: string) => controller.abort(new Error(reason));
  socket.once('close', () => abort('the directory closed the connection'));
  return { signal: controller.signal, abort };
}

/** LDAPMessage 1: ExtendedRequest `1.3.6.1.4.1.1466.20037` (RFC 4511 §4.14.1). */
const startTlsRequest = Buffer.concat([
  Buffer.from('301d02010177188016', 'hex'),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);
const extendedResponse = 0x78;
const success = 0;
const maxAnswerBytes = 4096;

/**
 * Done here and not by the client library, which keeps bytes that came in the clear and reads them on
 * as if they had come encrypted: somebody on the way could answer the bind in the server's place.
 */
async function requestTls(socket: Socket, signal: AbortSignal): Promise<void> {
  socket.write(startTlsRequest);
  const reader = new BerReader(await readMessage(socket, signal));
  reader.readSequence();
  const isAnswer = reader.readInt() === 1 && reader.readSequence() === extendedResponse;
  if (!isAnswer || reader.readEnumeration() !== success) throw new Error('the directory does not start TLS');
}

/** The one message that answers; more than that is not an answer but an injection. */
async function readMessage(socket: Socket, signal: AbortSignal): Promise<Buffer> {
  let received = Buffer.alloc(0);
  for await (const [chunk] of on(socket, 'data', { signal })) {
    received = Buffer.concat([received, chunk]);
    const excess = bytesBeyondMessage(received);
    if (excess > 0) throw new Error('the directory said more than it was asked for');
    if (excess === 0) break;
  }
  return received;
}

/** How many bytes follow the first message; negative while it is not whole. */
function bytesBeyondMessage(received: Buffer): number {
  try {
    const reader = new BerReader(received);
    if (reader.readSequence() === null) return received.length > maxAnswerBytes ? 1 : -1;
    return reader.length > maxAnswerBytes ? 1 : reader.remain - reader.length;
  } catch {
    return 1;
  }
}
