/** What the thread that reads the audit does: it answers, keeps the index up, and sends entries on. */

import { join } from 'node:path';
import { createOutbound } from '../../http/outbound/outbound.ts';
import { openDelivered } from '../forward/delivered.ts';
import { startForwarder, type Target } from '../forward/forwarder.ts';
import { createSyslogTarget, type SyslogSettings } from '../forward/syslog-target.ts';
import { createWebhookTarget } from '../forward/webhook-target.ts';
import { createKnownSegments } from '../index/known-segments.ts';
import { createAuditAnswers } from './audit-answers.ts';
import type { Asks, QuestionKind } from './questions.ts';

/** Goes to the thread as it is: plain values. */
export interface ReaderThreadData {
  readonly dataDir: string;
  /** Of the console. */
  readonly version: string;
  readonly forward?: ForwardSettings | undefined;
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
      readonly kind: QuestionKind;
      readonly asked: Asks<QuestionKind>;
    }
  | { readonly type: 'close' };

export type FromReader =
  /** @param gets  undefined while the index is made */
  | { readonly type: 'answer'; readonly number: number; readonly gets: unknown }
  | { readonly type: 'failed'; readonly number: number; readonly error: Error }
  | {
      readonly type: 'log';
      readonly fields: object;
      readonly message: string;
    }
  | { readonly type: 'closed' };

/** Also when nobody asks, so that who does need not wait. */
const catchUpMs = 5000;

export function createReaderWork(
  { dataDir, version, forward }: ReaderThreadData,
  say: (message: FromReader) => void,
) {
  const directory = join(dataDir, 'audit');
  const answers = createAuditAnswers({ directory, indexDirectory: join(dataDir, 'audit-index'), version });
  const stops = forward ? startForwarders(forward) : [];
  const catchUp = () => void answers.catchUp().catch((error: unknown) => warn(error));
  const timer = setInterval(catchUp, catchUpMs);
  catchUp();

  return async (message: ForReader): Promise<void> => {
    if (message.type === 'close') {
      clearInterval(timer);
      await Promise.all(stops.map((stop) => stop()));
      await answers.close();
      say({ type: 'closed' });
      return;
    }
    const { number, kind, asked } = message;
    try {
      say({ type: 'answer', number, gets: await answers.answer(kind, asked as never) });
    } catch (error) {
      say({ type: 'failed', number, error: error as Error });
    }
  };

  function startForwarders(settings: ForwardSettings): readonly (() => Promise<void>)[] {
    return targetsOf(settings, version).map((target) =>
      startForwarder({
        target,
        segments: createKnownSegments(directory),
        delivered: openDelivered(join(dataDir, 'audit-forward', `${target.name}.json`)),
        log: (fields, text) => say({ type: 'log', fields, message: text }),
        now: Date.now,
      }),
    );
  }

  function warn(error: unknown): void {
    const fields = { reason: (error as Error).message };
    say({
      type: 'log',
      fields,
      message: 'the index of the audit could not be brought up to date',
    });
  }
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
