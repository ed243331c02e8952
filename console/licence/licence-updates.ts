/**
 * Sends the licence to the dashboard application (`svc.mc.app.internalAddress`, docs/surface.md#dashboard-settings) until it is
 * acknowledged, in the background, and then from time to time: an application may have forgotten it.
 */

import { jsonObject } from '../../platform/json.ts';
import type { Audit } from '../../platform/log.ts';
import type { OwnReason } from '../../platform/names/reason-codes.ts';
import type { Outbound } from '../http/outbound/outbound.ts';
import type { OutboundResponse } from '../http/outbound/outbound-exchange.ts';
import { post } from '../outbox/post.ts';
import { createSender } from '../outbox/sender.ts';
import { tryId } from '../outbox/try-id.ts';
import type { Deliveries, Delivery } from './deliveries.ts';
import type { Licences, StoredLicence } from './licences.ts';

export interface LicenceUpdatesDeps {
  readonly licences: Pick<Licences, 'current' | 'onChange'>;
  readonly deliveries: Deliveries;
  /** A token for one try: signed by a key of the key set, with `typ` `licence+jwt`. */
  readonly signUpdate: (licence: StoredLicence, jti: string) => Promise<string>;
  /** Whether this process is the one that sends. */
  readonly isLeading: () => boolean;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly audit: Audit;
  readonly onError: (error: unknown) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface LicenceUpdates {
  start(): void;
  close(): Promise<void>;
}

/** After each try in vain; the last goes on for as long as it takes. */
const backOffMs = [2000, 5000, 15_000, 30_000, 60_000] as const;
/** An application that was started anew has it again after this. */
const repeatMs = 600_000;

export function createLicenceUpdates(deps: LicenceUpdatesDeps): LicenceUpdates {
  const { licences, deliveries, signUpdate, isLeading, outbound, audit, onError, now } = deps;
  return createSender({
    waiting: async () => {
      const delivery = await deliveries.current();
      return delivery ? [{ id: delivery.address, dueAt: delivery.dueAt }] : [];
    },
    deliver,
    queueOf: ({ id }) => id,
    onAdded: licences.onChange,
    onError,
    now,
  });

  async function deliver(address: string, signal: AbortSignal): Promise<void> {
    const delivery = await deliveries.due(address);
    const licence = licences.current();
    if (delivery && licence?.version === delivery.version) await send(licence, delivery, signal);
  }

  async function send(licence: StoredLicence, before: Delivery, signal: AbortSignal): Promise<void> {
    let answer: Acknowledgement | undefined;
    const request = {
      url: `${before.address}/licence`,
      headers: { 'Content-Type': 'application/jwt', Accept: 'application/json' },
      body: await signUpdate(licence, tryOf(before)),
      signal,
    };
    // Whoever was stopped in between leaves it to whoever leads meanwhile.
    if (!isLeading()) return;
    const reason = await post(outbound, request, (response) => {
      answer = acknowledgementOf(response, licence.id);
      return answer !== undefined;
    });
    if (reason === 'cancelled') return;
    const after = answer
      ? acknowledged(before, answer)
      : failed(before, reason ?? ('unexpected_answer' satisfies OwnReason));
    await deliveries.record(after);
    if (isChange(before, after)) emit(after);
  }

  function acknowledged(before: Delivery, { kept }: Acknowledgement): Delivery {
    const { reason: _over, ...rest } = before;
    const tries = isSettled(before) ? 1 : before.tries + 1;
    return { ...rest, tries, acknowledgedAt: now(), isKept: kept, dueAt: now() + repeatMs };
  }

  function failed(before: Delivery, reason: string): Delivery {
    const tries = isSettled(before) ? 1 : before.tries + 1;
    const pause = backOffMs[Math.min(tries, backOffMs.length) - 1]!;
    return { ...before, tries, reason, dueAt: now() + pause };
  }

  function emit({ address, licenceId, tries, reason }: Delivery): void {
    audit('licence.sent', {
      outcome: reason === undefined ? 'success' : 'failure',
      target: licenceId,
      address,
      attempt: tries,
      reason,
      willRetry: reason !== undefined,
    });
  }
}

/** Of what a dead process has left, it is the same again. */
function tryOf({ address, version, tries, acknowledgedAt = 0, dueAt }: Delivery): string {
  return tryId(address, version, tries, acknowledgedAt, dueAt);
}

/** The application has it, as far as anybody knows. */
export function isSettled({ acknowledgedAt, reason }: Delivery): boolean {
  return acknowledgedAt !== undefined && reason === undefined;
}

/** An address that does not answer for a day is one line and not fifteen hundred. */
function isChange(before: Delivery, after: Delivery): boolean {
  return isSettled(before) !== isSettled(after) || before.reason !== after.reason;
}

interface Acknowledgement {
  readonly kept: boolean;
}

/** Only who has read the update can name its licence: a page that answers 200 to everything has not. */
function acknowledgementOf(
  { status, body }: OutboundResponse,
  licenceId: string,
): Acknowledgement | undefined {
  if (status !== 200) return undefined;
  const { id, kept } = jsonObject(body) ?? {};
  return id === licenceId && typeof kept === 'boolean' ? { kept } : undefined;
}
