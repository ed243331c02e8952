import type { Worker as Process } from 'node:cluster';
import type { Faults } from '../../platform/faults.ts';
import type { Logger } from '../../platform/log.ts';
import type { Settings } from '../settings/settings.ts';
import type { ForWorker, FromWorker } from './messages.ts';
import { drainMs, holds } from './readiness.ts';
import type { Serving } from './serve.ts';
import { createWorker } from './worker.ts';

export interface RunWorkerDeps {
  readonly settings: Settings;
  readonly log: Logger;
  readonly faults: Faults;
  readonly worker: Process;
  /** SIGTERM to this process alone; a terminal's SIGINT reaches all, and the first process sees to it. */
  readonly stopped: Promise<NodeJS.Signals>;
}

/** One of several processes that answer calls; ends by itself when the one that started it is gone. */
export async function runWorker(deps: RunWorkerDeps): Promise<void> {
  const { settings, log, faults, worker, stopped } = deps;
  const answering = createWorker({ settings, log, faults, send, isOneOfMany: true });
  const stopMessage = new Promise<void>((resolve) => {
    process.on('message', (message: ForWorker) => {
      if (message.type === 'stop') resolve();
      else answering.receive(message);
    });
  });
  const received = new Promise<void>((resolve) => {
    process.on('message', (message: ForWorker) => {
      if (message.type === 'state') resolve();
    });
  });
  send({ type: 'hearing' });
  // What the other process knows, little as it may be, before the first call.
  await Promise.race([received, stopMessage]);
  const serving = await answering.start();
  answerNumbers(serving);
  process.on('message', (message: ForWorker) => {
    if (message.type === 'announceEnd') serving.announceEnd();
  });
  send({ type: 'listening', address: serving.address });
  const stopping = Promise.race([
    stopMessage,
    stopped.then((signal) => (signal === 'SIGINT' ? stopMessage : undefined)),
  ]);
  if (await holds(answering.isCurrent, stopping)) send({ type: 'passing' });
  await stopping;
  await serving.close(drainMs);
  worker.disconnect();

  function answerNumbers({ metrics }: Serving): void {
    process.on('message', (message: ForWorker) => {
      if (message.type !== 'readNumbers') return;
      metrics
        .numbers()
        .then((numbers) => send({ type: 'numbers', id: message.id, numbers }))
        .catch((error: unknown) => log.warn({ err: error }, 'the numbers of this process cannot be read'));
    });
  }

  function send(message: FromWorker): void {
    if (process.connected) process.send!(message, () => {});
  }
}
