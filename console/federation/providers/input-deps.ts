/** What reading a provider's settings needs of the world: its metadata, and keys for it. */

import { newSelfSigned, type SelfSignedDeps } from '../../../platform/certificates/self-signed.ts';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { reasonInWords } from '../../../platform/names/network-reason.ts';
import type { Outbound } from '../../http/outbound/outbound.ts';
import { OutboundError } from '../../http/outbound/outbound-exchange.ts';
import { FederationError } from '../connector.ts';
import type { ProviderInputDeps } from './input.ts';

export interface InputWorld extends SelfSignedDeps {
  readonly outbound: Pick<Outbound, 'send'>;
  /** `CONSOLE_URL`. */
  readonly url: string;
}

export function createInputDeps({ outbound, url, randomBytes, now }: InputWorld): ProviderInputDeps {
  return {
    // Whoever asked by names of their own finds them between these.
    called: (field) => `\`${field}\``,
    renewsKeys: false,
    fetchMetadata: (address) => fetchMetadata(outbound, address),
    async readMetadata(xml, certificate) {
      // Loading the protocol takes longer than a command that needs none of it may.
      const { readProviderMetadata } = await import('../saml/metadata.ts');
      return readProviderMetadata(xml, now(), certificate).catch((cause: unknown) => {
        if (!(cause instanceof FederationError)) throw cause;
        throw new ProblemError(problems.invalidRequest, `${cause.message}.`, { cause });
      });
    },
    newSigning: (id) => newSelfSigned(`${id} at ${new URL(url).host}`, { randomBytes, now }),
  };
}

/** @throws {ProblemError} `invalid_url`, or `invalid_request` when there is no document */
export async function fetchMetadata(outbound: Pick<Outbound, 'send'>, address: string): Promise<string> {
  const headers = { Accept: 'application/samlmetadata+xml, application/xml, text/xml' };
  const { status, body } = await outbound.send({ url: address, headers }).catch((cause: unknown) => {
    if (!(cause instanceof OutboundError)) throw cause;
    const why = reasonInWords(cause.reason);
    throw new ProblemError(problems.invalidRequest, `The metadata cannot be fetched: ${why}.`, { cause });
  });
  if (status === 200) return body;
  throw new ProblemError(
    problems.invalidRequest,
    `The metadata cannot be fetched: the answer was ${status}.`,
  );
}
