/**
 * Sign-in by a SAML 2.0 identity provider: the request by HTTP-Redirect or HTTP-POST, the answer by
 * HTTP-POST (SAML Profiles §4.1). The library writes requests and verifies signatures; what a message may
 * look like, what is read from it and what it must say is decided in the neighbouring files.
 */
import { timingSafeEqual } from 'node:crypto';
import { SAML, type SamlConfig } from '@node-saml/node-saml';
import type { ArtifactStore } from '../../storage/storage.ts';
import {
  type AuthorizationSecrets,
  type BindingMessage,
  type CallbackReply,
  FederationError,
  type RedirectConnector,
  type UpstreamIdentity,
} from '../connector.ts';
import { type Assertion, readAssertion } from './assertion.ts';
import { checkedCertificate } from './certificates.ts';
import { readPostedMessage } from './guard.ts';
import { createSamlLogout } from './logout.ts';
import type { ProviderMetadata } from './metadata.ts';
import { provenAssertion } from './proof.ts';
import { checkResponse } from './response.ts';
import { parseRoot } from './xml.ts';

/** How long an open request waits for its answer (S43 asks it of every provider). */
const requestTtlMs = 10 * 60_000;

/** Names under which providers commonly send what a person is called: short, by OID, and by claim address. */
const usualNames = {
  username: [
    'uid',
    'username',
    'urn:oid:0.9.2342.19200300.100.1.1',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn',
  ],
  email: [
    'email',
    'mail',
    'urn:oid:0.9.2342.19200300.100.1.3',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  ],
  name: [
    'displayName',
    'name',
    'urn:oid:2.16.840.1.113730.3.1.241',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
  ],
} as const;

export interface SamlProvider {
  /** Entity id: the issuer that every answer must name. */
  readonly entityId: string;
  /** Address that takes requests. */
  readonly signOnUrl: string;
  /** By HTTP-Redirect unless it says that it takes forms only. */
  readonly signOnBinding?: 'post' | undefined;
  /** Where it takes logout messages, if it does. */
  readonly logout?: ProviderMetadata['logout'];
  /** PEM. The only keys that are believed; two or more while the provider changes its key. */
  readonly certificates: readonly string[];
  /** Asked for in the request; left to the provider when absent. */
  readonly nameIdFormat?: string;
  /** The attribute that never belongs to another person, where the NameID does not do. */
  readonly subjectAttribute?: string | undefined;
}

export interface SamlConnectorDeps {
  readonly provider: SamlProvider;
  /** Our own entity id: issuer of requests, audience of answers. */
  readonly entityId: string;
  /** PEM (PKCS #8): requests are signed with it, by RSA-SHA-256. Unsigned without one. */
  readonly signingKey?: string;
  /** PEM (PKCS #8): opens assertions that were encrypted for us. */
  readonly decryptionKey?: string;
  /** Remembers which assertions have been used, among processes too. */
  readonly artifacts: Pick<ArtifactStore, 'count'>;
  readonly randomBytes: (size: number) => Buffer;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** @throws {FederationError} 400 when there is no certificate, or one whose key is too weak to be believed */
export function createSamlConnector(deps: SamlConnectorDeps): RedirectConnector {
  const pinned = deps.provider.certificates.map(checkedCertificate);
  if (pinned.length === 0) throw new FederationError(400, 'The identity provider has no signing certificate');

  return {
    kind: 'saml',
    ...createSamlLogout({ ...deps, certificates: pinned }),

    async begin({ stateId, callbackUrl, reauthenticate }) {
      // An address here would make whoever echoes RelayState an open redirector (S48; Bindings §3.4.3: 80 bytes).
      if (!/^[\w-]{16,80}$/.test(stateId)) throw new TypeError('attemptId is not an opaque id');
      const requestId = `_${deps.randomBytes(20).toString('hex')}`;
      const askedAt = new Date(deps.now()).toISOString();
      const saml = new SAML({
        ...libraryOptions(deps, pinned, callbackUrl),
        forceAuthn: reauthenticate,
        generateUniqueId: () => requestId,
      });
      const binding = await bindingMessageOf(saml, deps.provider, stateId);
      return { ...binding, secrets: { requestId, askedAt, relayState: stateId } };
    },

    async finish(reply, secrets) {
      const requestId = openRequest(reply, secrets, deps.now());
      const xml = readPostedMessage(reply.parameters.get('SAMLResponse') ?? '');
      const expected = { issuer: deps.provider.entityId, callbackUrl: reply.callbackUrl, requestId };
      const response = parseRoot(xml, 403);
      checkResponse(response, expected);
      const { decryptionKey } = deps;
      const proven = await provenAssertion(xml, response, { certificates: pinned, decryptionKey });
      const assertion = await readAssertion(proven, {
        ...expected,
        audience: deps.entityId,
        subjectAttribute: deps.provider.subjectAttribute,
        nowMs: deps.now(),
      });
      await useOnce(assertion, deps);
      return toIdentity(assertion);
    },
  };
}

function libraryOptions(
  { provider, entityId, signingKey }: SamlConnectorDeps,
  pinned: readonly string[],
  callbackUrl: string,
): SamlConfig {
  return {
    entryPoint: provider.signOnUrl,
    idpCert: [...pinned],
    idpIssuer: provider.entityId,
    issuer: entityId,
    callbackUrl,
    identifierFormat: provider.nameIdFormat ?? null,
    disableRequestedAuthnContext: true,
    // A form carries the request as it is, an address deflated (Bindings §3.4.4.1, §3.5.4).
    authnRequestBinding: provider.signOnBinding === 'post' ? 'HTTP-POST' : 'HTTP-Redirect',
    skipRequestCompression: provider.signOnBinding === 'post',
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    ...(signingKey !== undefined && { privateKey: signingKey }),
  };
}

async function bindingMessageOf(
  saml: SAML,
  { signOnUrl, signOnBinding }: SamlProvider,
  relayState: string,
): Promise<BindingMessage> {
  if (signOnBinding !== 'post') {
    return { method: 'GET', location: await saml.getAuthorizeUrlAsync(relayState, undefined, {}) };
  }
  const message = await saml.getAuthorizeMessageAsync(relayState);
  const fields = Object.fromEntries(
    Object.entries(message).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
  );
  return { method: 'POST', location: signOnUrl, fields };
}

/** @returns the id of the request that this browser has open */
function openRequest(reply: CallbackReply, secrets: AuthorizationSecrets, nowMs: number): string {
  const { requestId, askedAt, relayState } = secrets;
  if (!requestId || !askedAt || !relayState) throw new FederationError(403, 'No sign-in is under way');
  if (!isSame(reply.parameters.get('RelayState') ?? '', relayState)) {
    throw new FederationError(400, 'The answer of the identity provider carries another RelayState');
  }
  if (nowMs > Date.parse(askedAt) + requestTtlMs) {
    throw new FederationError(403, 'The sign-in has taken too long: please start again');
  }
  return requestId;
}

function isSame(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Remembers the assertion for as long as it could be used again (Profiles §4.1.4.5). */
async function useOnce({ id, usableUntilMs }: Assertion, deps: SamlConnectorDeps): Promise<void> {
  const windowSeconds = Math.max(1, Math.ceil((usableUntilMs - deps.now()) / 1000));
  const { count } = await deps.artifacts.count(
    'SamlAssertion',
    `${deps.provider.entityId} ${id}`,
    windowSeconds,
  );
  if (count > 1) throw new FederationError(403, 'The answer of the identity provider has been used before');
}

function toIdentity({ subject, attributes, session }: Assertion): UpstreamIdentity {
  const first = (names: readonly string[]) => names.flatMap((name) => attributes[name] ?? [])[0];
  const username = first(usualNames.username);
  const email = first(usualNames.email);
  const name = first(usualNames.name);
  return {
    subject,
    ...(username && { username }),
    ...(email && { email }),
    ...(name && { name }),
    attributes,
    session,
  };
}
