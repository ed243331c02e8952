/** What comes on a connection and is no HTTP: 400 with an empty body (docs/member-surface.md#errors), and the last on its connection. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const statusLines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Requests that came whole before it are answered first: they may have been carried out, and their caller must hear so. */
export function rejectMalformed(server: Server): void {
  const answered = new WeakSet<Socket>();

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (answered.has(socket)) return; // what comes behind is no HTTP either
    answered.add(socket);
    const statusLine = statusLines[error.code ?? ''] ?? '400 Bad Request';
    endAfterReply(socket, `HTTP/1.1 ${statusLine}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  });
}

function endAfterReply(socket: Socket, answer: string): void {
  const reply = replyInOrder(socket);
  if (reply === undefined || (!reply.req.complete && !reply.headersSent)) {
    socket.end(answer);
  } else if (reply.req.complete) {
    reply.once('close', () => {
      if (socket.writable) endAfterReply(socket, answer);
    });
  } else if (reply.writableFinished) {
    socket.end(); // it was the answer to what has gone wrong now
  } else {
    reply.once('finish', () => socket.end());
  }
}

/** The reply that a connection is busy with; there is no public way to it, and Node's own handlers ask the same field. */
function replyInOrder(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
