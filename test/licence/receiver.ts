/** A small server at `svc.mc.app.internalAddress`: it counts what it gets and answers as a test wants it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { onTestFinished } from 'vitest';

export interface Update {
  readonly url: string | undefined;
  readonly contentType: string | undefined;
  readonly token: string;
  readonly licenceId: string;
}

export interface Receiver {
  readonly address: string;
  readonly updates: readonly Update[];
  answer: (res: ServerResponse, licenceId: string) => void;
  stop(): void;
}

/** Goes with the running test. @param port  any free one by default */
export async function receiverOfTest(port = 0): Promise<Receiver> {
  const receiver = await startReceiver(port);
  onTestFinished(receiver.stop);
  return receiver;
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const updates: Update[] = [];
  const receiver = { address: '', updates, answer: acknowledge, stop };
  const server = createServer(async (req, res) => {
    const token = await textOf(req);
    const licenceId = String((decodeJwt(token).licence as { id: string }).id);
    updates.push({ url: req.url, contentType: req.headers['content-type'], token, licenceId });
    receiver.answer(res, licenceId);
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  receiver.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;

  function stop(): void {
    server.closeAllConnections();
    server.close();
  }
}

export function acknowledge(res: ServerResponse, id: string): void {
  answerJson(res, { id, kept: true });
}

export function answerJson(res: ServerResponse, body: unknown, status = 200): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
