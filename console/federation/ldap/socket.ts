/** Opens the way to a directory: a socket over which a password may travel, or none. */
import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';
import { BerReader } from 'ldapts';
import { isLoopbackAddress } from '../../http/outbound/loopback.ts';

export interface DirectoryAddress {
  /** `ldap://host[:port]` or `ldaps://host[:port]`. */
  readonly url: URL;
  /** Asks an `ldap:` server for TLS before anything else is said (RFC 4511 §4.14). */
  readonly startTls: boolean;
  /** PEM; takes the place of the authorities that Node trusts. */
  readonly ca?: string;
  /** Passwords may cross the network in the clear. Loopback needs no such leave. */
  readonly allowPlaintext: boolean;
}

/**
 * @param timeoutMs  for all of it: name, connection, StartTLS and handshake
 * @throws {Error} when there is no connection, or none that may carry a password; nothing was sent then
 */
export async function openDirectorySocket(address: DirectoryAddress, timeoutMs: number): Promise<Socket> {
  const { url, startTls, allowPlaintext } = address;
  const host = hostOf(url);
  const port = Number(url.port || (url.protocol === 'ldaps:' ? 636 : 389));
  const socket = connect({ host, port, noDelay: true });
  socket.on('error', ignore);
  let current: Socket = socket;
  const timer = setTimeout(
    () => current.destroy(new Error(`no connection after ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    await ready(socket, 'connect');
    if (url.protocol === 'ldap:' && !startTls) {
      // The name may have been pointed elsewhere since it was checked: the peer's address decides.
      if (allowPlaintext || isLoopbackAddress(socket.remoteAddress ?? '')) return socket;
      throw new Error('the connection would carry passwords in the clear');
    }
    if (startTls) await requestTls(socket);
    current = connectSecurely(tlsOptions(socket, host, address.ca));
    await ready(current, 'secureConnect');
    return current;
  } catch (error) {
    current.on('error', ignore).destroy();
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Whoever waits hears of it; an error that comes when nobody does must not end the process. */
function ignore(): void {}

/** @param url  whose host may be an IPv6 address in brackets */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
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
async function requestTls(socket: Socket): Promise<void> {
  const answer = readMessage(socket);
  socket.write(startTlsRequest);
  const reader = new BerReader(await answer);
  reader.readSequence();
  const isAnswer = reader.readInt() === 1 && reader.readSequence() === extendedResponse;
  if (!isAnswer || reader.readEnumeration() !== success) throw new Error('the directory does not start TLS');
}

/** The one message that answers; more than that is not an answer but an injection. */
function readMessage(socket: Socket): Promise<Buffer> {
  let received = Buffer.alloc(0);
  return settled(socket, (resolve, reject) => {
    const read = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const excess = bytesBeyondMessage(received);
      if (excess === 0) resolve(received);
      else if (excess > 0) reject(new Error('the directory said more than it was asked for'));
    };
    socket.on('data', read);
    return () => socket.off('data', read);
  });
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

function ready(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return settled(socket, (resolve) => {
    socket.once(event, resolve);
    return () => socket.off(event, resolve);
  });
}

/** As `start` settles it, or rejected when the socket fails or closes first. */
function settled<T>(
  socket: Socket,
  start: (resolve: (value: T) => void, reject: (error: Error) => void) => () => unknown,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const closed = () => reject(new Error('the directory closed the connection'));
    const stop = start(end(resolve), end(reject));
    const failed = end(reject);
    const gone = end(closed);
    socket.once('error', failed);
    socket.once('close', gone);

    function end<V>(settle: (value: V) => void) {
      return (value: V) => {
        stop();
        socket.off('error', failed);
        socket.off('close', gone);
        settle(value);
      };
    }
  });
}

/** A certificate is always checked; for an address instead of a name, against the addresses in it. */
function tlsOptions(socket: Socket, host: string, ca: string | undefined): ConnectionOptions {
  return {
    socket,
    host,
    minVersion: 'TLSv1.2',
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
  };
}
