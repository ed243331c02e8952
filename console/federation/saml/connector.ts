/**
 * Sign-in by a SAML 2.0 identity provider: the request by HTTP-Redirect or HTTP-POST, the answer by
 * HTTP-POST (SAML Profiles §4.1). The library writes requests and verifies signatures; what a message may
 * look like, what is read from it and what it must say is decided in the neighbouring files.
 */
import { SAML, type SamlConfig } from '@node-saml/node-saml';
import { defined } from '../../../platform/defined.ts';
import type { ArtifactStore } from '../../storage/storage.ts';
import {
  type AuthorizationSecrets,
  type BindingMessage,
  type CallbackReply,
  FederationError,
  type RedirectConnector,
  type UpstreamIdentity,
} from '../connector.ts';
import type { SamlSettings } from '../providers/schema.ts';
import { type Assertion, readAssertion } from './assertion.ts';
import { checkedCertificate } from './certificates.ts';
import { readPostedMessage } from './guard.ts';
import { createSamlLogout, type SamlLogoutDeps } from './logout.ts';
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

export interface SamlConnectorDeps extends SamlLogoutDeps {
  /** Remembers which assertions have been used, among processes too. */
  readonly artifacts: Pick<ArtifactStore, 'count'>;
}

/** @throws {FederationError} 400 when there is no certificate, or one whose key is too weak to be believed */
export function createSamlConnector(deps: SamlConnectorDeps): RedirectConnector {
  const { metadata, subjectAttribute, encryption } = deps.saml;
  const pinned = metadata.certificates.map(checkedCertificate);
  if (pinned.length === 0) throw new FederationError(400, 'The identity provider has no signing certificate');

  return {
    kind: 'saml',
    ...createSamlLogout(deps, pinned),

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
      const binding = await bindingMessageOf(saml, metadata, stateId);
      return { ...binding, secrets: { requestId, askedAt, relayState: stateId } };
    },

    async finish(reply, secrets) {
      const requestId = openRequest(reply, secrets, deps.now());
      const xml = readPostedMessage(reply.parameters.get('SAMLResponse') ?? '');
      const expected = { issuer: metadata.entityId, callbackUrl: reply.callbackUrl, requestId };
      const response = parseRoot(xml, 403);
      checkResponse(response, expected);
      const decryptionKey = encryption?.key.reveal();
      const proven = await provenAssertion(xml, response, { certificates: pinned, decryptionKey });
      const assertion = await readAssertion(proven, {
        ...expected,
        audience: deps.entityId,
        subjectAttribute,
        nowMs: deps.now(),
      });
      await useOnce(assertion, deps);
      return toIdentity(assertion);
    },
  };
}

function libraryOptions(
  { saml: { metadata, nameIdFormat, signing }, entityId }: SamlConnectorDeps,
  pinned: readonly string[],
  callbackUrl: string,
): SamlConfig {
  return {
    entryPoint: metadata.signOnUrl,
    idpCert: [...pinned],
    idpIssuer: metadata.entityId,
    issuer: entityId,
    callbackUrl,
    identifierFormat: nameIdFormat ?? null,
    disableRequestedAuthnContext: true,
    // A form carries the request as it is, an address deflated (Bindings §3.4.4.1, §3.5.4).
    authnRequestBinding: metadata.signOnBinding === 'post' ? 'HTTP-POST' : 'HTTP-Redirect',
    skipRequestCompression: metadata.signOnBinding === 'post',
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    ...(signing && { privateKey: signing.key.reveal() }),
  };
}

async function bindingMessageOf(
  saml: SAML,
  { signOnUrl, signOnBinding }: SamlSettings['metadata'],
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
  if (reply.parameters.get('RelayState') !== relayState) {
    throw new FederationError(400, 'The answer of the identity provider carries another RelayState');
  }
  if (nowMs > Date.parse(askedAt) + requestTtlMs) {
    throw new FederationError(403, 'The sign-in has taken too long: please start again');
  }
  return requestId;
}

/** Remembers the assertion for as long as it could be used again (Profiles §4.1.4.5). */
async function useOnce(
  { id, usableUntilMs }: Assertion,
  { saml: { metadata }, artifacts, now }: SamlConnectorDeps,
): Promise<void> {
  const windowSeconds = Math.max(1, Math.ceil((usableUntilMs - now()) / 1000));
  const { count } = await artifacts.count('SamlAssertion', `${metadata.entityId} ${id}`, windowSeconds);
  if (count > 1) throw new FederationError(403, 'The answer of the identity provider has been used before');
}

function toIdentity({ subject, attributes, session }: Assertion): UpstreamIdentity {
  const first = (names: readonly string[]) => names.flatMap((name) => attributes[name] ?? [])[0] || undefined;
  return defined({
    subject,
    username: first(usualNames.username),
    email: first(usualNames.email),
    name: first(usualNames.name),
    attributes,
    session,
  });
}
