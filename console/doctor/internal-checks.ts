/**
 * The internal address of the application from both sides: whether the console may call it and gets there, and
 * what the application then sees of the console.
 */

import { ProblemError } from '../../platform/errors.ts';
import { jsonObject } from '../../platform/json.ts';
import type { Outbound } from '../http/outbound/outbound.ts';
import { OutboundError, type OutboundResponse } from '../http/outbound/outbound-exchange.ts';
import { validateClock } from './clock.ts';
import { about, type Finding } from './finding.ts';
import { short } from './probe.ts';
import { validateSeen } from './seen-by-application.ts';

export interface InternalChecksDeps {
  readonly outbound: Pick<Outbound, 'send'>;
  /** `svc.mc.app.internalAddress`. */
  readonly address: string;
  /** Whether nothing says that the application is there. */
  readonly isAssumed: boolean;
  /** CONSOLE_URL. */
  readonly url: string;
  readonly kids: readonly string[];
  /** `aud` that the application has to expect of access tokens. */
  readonly audience: string;
  /** A token for one request, with `typ` `doctor+jwt`. */
  readonly signRequest: () => Promise<string>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const say = about('internal address');

export async function checkInternalAddress(deps: InternalChecksDeps): Promise<readonly Finding[]> {
  const { outbound, address, signRequest, now } = deps;
  let answer: OutboundResponse;
  try {
    answer = await outbound.send({
      url: `${address}/doctor`,
      method: 'POST',
      headers: { 'Content-Type': 'application/jwt', Accept: 'application/json' },
      body: await signRequest(),
    });
  } catch (error) {
    return [unreachable(error, deps)];
  }
  const seen = answer.status === 200 ? jsonObject(answer.body) : undefined;
  const clock = clockOf(seen, answer, now());
  return [...(seen ? validateSeen(seen, deps) : [validateDenial(answer, deps)]), ...clock];
}

function unreachable(error: unknown, { address, isAssumed }: InternalChecksDeps): Finding {
  if (error instanceof ProblemError) {
    const isPlain = address.startsWith('http:');
    return say.problem(
      `The console never calls ${address}: ${error.message} The application gets neither logout notices nor licence updates.`,
      isPlain
        ? 'Serve HTTPS there, by a reverse proxy for instance, and set SVC_MC_APP_INTERNALADDRESS=https://…; http is for this machine only.'
        : `Permit it with CONSOLE_OUTBOUND_ALLOW=${new URL(address).hostname}, or correct SVC_MC_APP_INTERNALADDRESS.`,
    );
  }
  if (!(error instanceof OutboundError)) throw error;
  const fixes: Readonly<Record<string, string>> = {
    name_not_resolved: 'Correct SVC_MC_APP_INTERNALADDRESS: its name is not known here.',
    tls_failed:
      'See the certificate below; for an authority of your own, set NODE_EXTRA_CA_CERTS=<its PEM file> for the console.',
  };
  const reason = `The console does not reach the application at ${address} (${error.reason}).`;
  if (isAssumed)
    return say.warning(reason, 'As above: start it, or say where it runs, or that there is none.');
  return say.problem(
    reason,
    fixes[error.reason] ??
      'Start the application, open the way to it, or set SVC_MC_APP_INTERNALADDRESS to where it listens.',
  );
}

/** The application answers, but does not tell what it sees. */
function validateDenial({ status, body }: OutboundResponse, { address, url }: InternalChecksDeps): Finding {
  const detail = short(jsonObject(body)?.detail ?? '');
  const properties = `app.security.openIdp.issuerUrl=${url} and app.security.openIdp.jwks-uri=${url}/oauth2/jwks`;
  switch (status) {
    case 400:
      return say.problem(
        `The application at ${address} refuses what this console signs. ${detail}`.trim(),
        `Start the application with ${properties}, and give the doctor the settings of the running console.`,
      );
    case 503:
      return say.problem(
        `The application at ${address} cannot read the key set of its console. ${detail}`.trim(),
        `Start the application with ${properties}; the key set address has to resolve from the application's host.`,
      );
    default:
      return say.warning(
        `${address} answers ${status}: it is reachable, but says nothing of what it sees.`,
        'When it is the reference dashboard, correct SVC_MC_APP_INTERNALADDRESS; another application may lack POST /doctor.',
      );
  }
}

/** By its own word, or by the Date field of an error, of which a wrong clock may be the reason. */
function clockOf(
  seen: Readonly<Record<string, unknown>> | undefined,
  { headers }: OutboundResponse,
  now: number,
): readonly Finding[] {
  const own = typeof seen?.now === 'number' ? seen.now : Date.parse(headers.date ?? '') + 500;
  if (!Number.isFinite(own)) return [];
  return [validateClock('clock of the application', "the application's host", own - now)];
}
