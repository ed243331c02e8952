/** What the thread that reads the audit does: it answers, keeps the index up, and sends entries on. */

import { join } from 'node:path';
import { createOutbound } from '../../http/outbound/outbound.ts';
import { type DeliveredStore, openDelivered } from '../forward/delivered.ts';
import { startForwarder, type Target } from '../forward/forwarder.ts';
import { createSyslogTarget, type SyslogSettings } from '../forward/syslog-target.ts';
import { createWebhookTarget } from '../forward/webhook-target.ts';
import { createKnownSegments } from '../index/known-segments.ts';
import type { SharedAsks, SharedKind, SharedNotice } from '../rows/shared-questions.ts';
import type { Asks, QuestionKind } from './questions.ts';

/** Goes to the thread as it is: plain values. */
export interface ReaderThreadData {
  readonly dataDir: string;
  /** Of the console. */
  readonly version: string;
  readonly forward?: ForwardSettings | undefined;
  /** Where several consoles share the audit: it is copied there, and asked there. */
  readonly databaseUrl?: string | undefined;
}

export interface ForwardSettings {
  /** How messages name this console. */
  readonly ownHost: string;
  readonly syslog?: SyslogSettings | undefined;
  readonly webhook?: WebhookSettings | undefined;
}

export interface WebhookSettings {
  readonly url: string;
  readonly secret: string;
  /** As of `CONSOLE_OUTBOUND_ALLOW`. */
  readonly outboundAllow: readonly string[];
}

export type ForReader =
  | {
      readonly type: 'ask';
      readonly number: number;
      readonly kind: QuestionKind | SharedKind;
      readonly asked: Asks<QuestionKind> | SharedAsks<SharedKind>;
    }
  | { readonly type: 'close' };

export type FromReader =
  /** @param gets  undefined while the index is made */
  | { readonly type: 'answer'; readonly number: number; readonly gets: unknown }
  | { readonly type: 'failed'; readonly number: number; readonly error: Error }
  /** The database cannot be asked. */
  | { readonly type: 'unavailable'; readonly number: number; readonly reason: string }
  | SharedNotice
  | {
      readonly type: 'log';
      readonly fields: object;
      readonly message: string;
    }
  | { readonly type: 'closed' };

interface Answering {
  /** @returns undefined while the index is made */
  answer(kind: QuestionKind | SharedKind, asked: object): Promise<unknown>;
  close(): Promise<void>;
}

export function createReaderWork(data: ReaderThreadData, say: (message: FromReader) => void) {
  const directory = join(data.dataDir, 'audit');
  const forwarders = startForwarders(data, say);
  const log = (fields: object, message: string) => say({ type: 'log', fields, message });
  let answering: Promise<Answering> | undefined;
  const opened = () => {
    answering ??= open();
    return answering;
  };
  // What cannot be opened ends the thread: whoever asks next begins another one.
  opened().catch((error: unknown) => {
    setImmediate(() => {
      throw error;
    });
  });

  return async (message: ForReader): Promise<void> => {
    if (message.type === 'close') {
      await Promise.all(forwarders.map(({ stop }) => stop()));
      await (await opened().catch(() => undefined))?.close();
      say({ type: 'closed' });
      return;
    }
    const { number, kind, asked } = message;
    try {
      say({ type: 'answer', number, gets: await (await opened()).answer(kind, asked) });
    } catch (error) {
      const { name, message: reason } = error as Error;
      // What is sent to another thread has no class any more.
      if (name === 'StorageUnavailableError') say({ type: 'unavailable', number, reason });
      else say({ type: 'failed', number, error: error as Error });
    }
  };

  /** Each loads what it needs: a driver, or an index. */
  async function open(): Promise<Answering> {
    const { databaseUrl, version } = data;
    if (databaseUrl === undefined) {
      const { answerFromFiles } = await import('./answer-from-files.ts');
      return answerFromFiles({ dataDir: data.dataDir, version, log });
    }
    const { createSharedWork } = await import('../rows/shared-work.ts');
    const shared = createSharedWork({
      databaseUrl,
      directory,
      segments: createKnownSegments(directory),
      version,
      delivered: () => forwarders.map(({ delivered }) => delivered.reached),
      say,
      log,
    });
    return {
      answer: (kind, asked) =>
        shared.isOwn(kind)
          ? shared.answerShared(kind, asked as never)
          : shared.answer(kind as QuestionKind, asked as never),
      close: shared.close,
    };
  }
}

interface Forwarder {
  readonly delivered: DeliveredStore;
  stop(): Promise<void>;
}

function startForwarders(
  { dataDir, version, forward }: ReaderThreadData,
  say: (message: FromReader) => void,
): readonly Forwarder[] {
  if (!forward) return [];
  return targetsOf(forward, version).map((target) => {
    const delivered = openDelivered(join(dataDir, 'audit-forward', `${target.name}.json`));
    const stop = startForwarder({
      target,
      segments: createKnownSegments(join(dataDir, 'audit')),
      delivered,
      log: (fields, text) => say({ type: 'log', fields, message: text }),
      now: Date.now,
    });
    return { delivered, stop };
  });
}

function targetsOf({ ownHost, syslog, webhook }: ForwardSettings, version: string): readonly Target[] {
  const targets: Target[] = [];
  if (syslog) targets.push(createSyslogTarget({ ...syslog, ownHost, version }));
  if (webhook) {
    const { url, secret, outboundAllow } = webhook;
    const { hostname, origin } = new URL(url);
    // What a setting names is meant, in a network of one's own too.
    const allow = [...outboundAllow, hostname.replace(/^\[|\]$/g, '')];
    const outbound = createOutbound({ allow, isKnownLoopback: (asked) => asked === origin });
    targets.push(createWebhookTarget({ url, secret, outbound, now: Date.now }));
  }
  return targets;
}
