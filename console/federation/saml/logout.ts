/**
 * SAML single logout (Profiles §4.4), as a session participant: asks the provider to end its session, and
 * ends ours when it asks. What a message must say is decided here; that it is the provider's, in
 * saml-bindings.ts.
 */
import { FederationError, type RedirectConnector, type SamlLogoutMessage } from '../connector.ts';
import { clockSkewMs } from './assertion.ts';
import { sendMessage, type VerifiedMessage, verifyMessage } from './bindings.ts';
import { writeLogoutRequest, writeLogoutResponse } from './logout-xml.ts';
import type { ProviderMetadata } from './metadata.ts';
import { attributeOf, childrenOf, countAnywhere, isElement, parseRoot, textOf } from './xml.ts';

export interface SamlLogoutDeps {
  readonly provider: {
    /** The issuer that every message must name. */
    readonly entityId: string;
    readonly logout?: ProviderMetadata['logout'];
  };
  /** PEM, checked. */
  readonly certificates: readonly string[];
  /** Our own. */
  readonly entityId: string;
  /** PEM (PKCS #8); messages about logout have to be signed, so there are none without it. */
  readonly signingKey?: string;
  readonly randomBytes: (size: number) => Buffer;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type SamlLogout = Required<
  Pick<RedirectConnector, 'beginLogout' | 'readSamlLogout' | 'answerSamlLogout'>
>;

/** How long a message may be under way. */
const requestTtlMs = 10 * 60_000;
const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';

export function createSamlLogout(deps: SamlLogoutDeps): SamlLogout {
  const { provider, certificates, entityId, signingKey, randomBytes, now } = deps;
  const { logout } = provider;

  return {
    async beginLogout({ logoutId, session }) {
      if (!logout || signingKey === undefined || session.hint === undefined) return undefined;
      const { binding, url } = logout;
      const xml = writeLogoutRequest({
        // Another one for each try, and the answer to any of them leads back to the logout.
        id: `_${logoutId}.${now().toString(36)}`,
        issuedAtMs: now(),
        usableUntilMs: now() + requestTtlMs,
        destination: url,
        issuer: entityId,
        // As it was at sign-in, qualifiers included (Core §3.7.1).
        nameId: JSON.parse(session.hint) as Parameters<typeof writeLogoutRequest>[0]['nameId'],
        sessionIndex: session.id,
      });
      return sendMessage({ name: 'SAMLRequest', xml, relayState: logoutId, binding, url, signingKey });
    },
    async readSamlLogout(message) {
      const verified = await verifyMessage(message, certificates);
      const root = parseRoot(verified.xml, 403);
      checkAddressing(root, message.logoutUrl);
      return verified.name === 'SAMLRequest' ? readRequest(root, verified) : readResponse(root);
    },
    async answerSamlLogout({ logout: { messageId }, relayState }) {
      if (!logout || signingKey === undefined) return undefined;
      const { binding, replyUrl: url } = logout;
      const xml = writeLogoutResponse({
        id: `_${randomBytes(20).toString('hex')}`,
        issuedAtMs: now(),
        destination: url,
        issuer: entityId,
        inResponseTo: messageId,
      });
      return sendMessage({ name: 'SAMLResponse', xml, relayState, binding, url, signingKey });
    },
  };

  /** What requests and responses have in common (Core §3.2; Bindings §3.4.5.2, §3.5.5.2). */
  function checkAddressing(root: Element, logoutUrl: string): void {
    const issuers = childrenOf(root, 'assertion', 'Issuer').map(textOf);
    if (root.getAttribute('Version') !== '2.0') throw malformed('is not SAML 2.0');
    if (issuers.length !== 1 || issuers[0] !== provider.entityId) throw invalid('comes from another issuer');
    if (attributeOf(root, 'Destination') !== logoutUrl) throw invalid('is meant for another address');
    const issuedAtMs = instant(attributeOf(root, 'IssueInstant'));
    if (issuedAtMs > now() + clockSkewMs) throw invalid('is not valid yet');
    if (issuedAtMs + requestTtlMs <= now() - clockSkewMs) throw invalid('has expired');
  }

  function readRequest(root: Element, { relayState }: VerifiedMessage): SamlLogoutMessage {
    if (!isElement(root, 'protocol', 'LogoutRequest')) throw malformed('is not a LogoutRequest');
    const id = attributeOf(root, 'ID');
    if (id === undefined || id.length > 256) throw malformed('has no id');
    if (relayState !== undefined && relayState.length > 1024) throw malformed('has too long a RelayState');
    const until = attributeOf(root, 'NotOnOrAfter');
    const notOnOrAfterMs = until === undefined ? Number.POSITIVE_INFINITY : instant(until);
    if (notOnOrAfterMs <= now() - clockSkewMs) throw invalid('has expired');
    const oldestMs = instant(attributeOf(root, 'IssueInstant')) + requestTtlMs;
    const sessionIds = childrenOf(root, 'protocol', 'SessionIndex').map(textOf);
    return {
      type: 'request',
      logout: {
        subject: readName(root),
        sessionIds: sessionIds.filter((index) => index !== ''),
        messageId: id,
        usableUntilMs: Math.min(notOnOrAfterMs, oldestMs) + clockSkewMs,
      },
      relayState,
    };
  }

  function readName(root: Element): string {
    if (countAnywhere(root, 'EncryptedID') > 0) throw invalid('is encrypted, which is not supported');
    const names = childrenOf(root, 'assertion', 'NameID').map(textOf);
    if (names.length !== 1 || names[0] === '' || names[0]!.length > 1024) throw invalid('names nobody');
    return names[0]!;
  }

  function readResponse(root: Element): SamlLogoutMessage {
    if (!isElement(root, 'protocol', 'LogoutResponse')) throw malformed('is not a LogoutResponse');
    const logoutId = /^_([\w-]{16,80})\.[a-z0-9]{1,16}$/.exec(attributeOf(root, 'InResponseTo') ?? '')?.[1];
    if (logoutId === undefined) throw invalid('was not asked for');
    const codes = childrenOf(root, 'protocol', 'Status').flatMap((status) =>
      childrenOf(status, 'protocol', 'StatusCode'),
    );
    return {
      type: 'response',
      logoutId,
      isDone: codes.length === 1 && codes[0]!.getAttribute('Value') === success,
    };
  }
}

/** Core §1.3.3: UTC only, so no time zone can be misread. */
function instant(text = ''): number {
  const isUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);
  const epochMs = isUtc ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(epochMs)) throw invalid('contains a time that cannot be read');
  return epochMs;
}

function malformed(reason: string): FederationError {
  return new FederationError(400, `The logout message ${reason}.`);
}

function invalid(reason: string): FederationError {
  return new FederationError(403, `The logout message ${reason}.`);
}
