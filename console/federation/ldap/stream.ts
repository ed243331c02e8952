import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const sliceBytes = 4096;

/**
 * A socket as the client library may have it. The library reads one message within the reading of the
 * one before, so that a piece with thousands of small ones runs out of stack where nobody can catch
 * it, and it gathers an answer whole, however long that becomes. Here pieces are small and all of them
 * together end at `maxBytes`.
 *
 * @param socket  open, and read by nobody yet
 */
export function limitReading(socket: Socket, maxBytes: number): Socket {
  const limited = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, _encoding, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      limited.destroy(new Error(`the directory said more than ${maxBytes} bytes`));
      return;
    }
    for (let from = 0; from < chunk.length; from += sliceBytes) {
      limited.push(chunk.subarray(from, from + sliceBytes));
    }
  });
  socket.pause();
  socket.on('error', (error) => limited.destroy(error));
  socket.on('close', () => limited.destroy());
  // All that the library uses of a socket beyond a stream: that it is connected already.
  return Object.assign(limited, { connecting: false, readyState: 'open' }) as unknown as Socket;
}
