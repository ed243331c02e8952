/** A port that closes takes what has come before: nobody's connection is reset (S81; docs/front.md). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { prepareDrain } from '../../platform/drain.ts';

const callers = 20;
const busyMs = 300;

test('connections that nobody has accepted when the port is to close are answered', async () => {
  const server = createServer((_req, res) => res.end('done'));
  const { drain } = prepareDrain(server, () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const worker = new Worker(callAll, {
    eval: true,
    workerData: { port: (server.address() as AddressInfo).port, callers },
  });
  await once(worker, 'online');
  const answers = once(worker, 'message');
  const isConnected = new Int32Array(new SharedArrayBuffer(4));
  worker.postMessage(isConnected);

  // The system takes their connections and requests while this process does something else.
  Atomics.wait(isConnected, 0, 0, 30_000);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
  await drain(10_000);

  expect(await answers).toEqual([Array.from({ length: callers }, () => 'HTTP/1.1 200 OK')]);
});

/** All are connected before the first word of what is asked here is read. */
const callAll = `
const { connect } = require('node:net');
const { once } = require('node:events');
const { parentPort, workerData: { port, callers } } = require('node:worker_threads');
parentPort.once('message', async (isConnected) => {
  const sockets = await Promise.all(Array.from({ length: callers }, async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 0\\r\\n\\r\\n');
    return socket;
  }));
  Atomics.store(isConnected, 0, 1);
  Atomics.notify(isConnected, 0);
  const answers = sockets.map((socket) => new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => { text += chunk; });
    socket.on('error', ({ code }) => resolve(code));
    socket.on('close', () => resolve(text.split('\\r\\n')[0]));
  }));
  parentPort.postMessage(await Promise.all(answers));
});
`;
