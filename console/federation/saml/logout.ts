/**
 * SAML single logout (Profiles §4.4), as a session participant: asks the provider to end its session, and
 * ends ours when it asks. What a message must say is decided here; that it is the provider's, in
 * bindings.ts.
 */
import type { RedirectConnector, SamlLogoutMessage } from '../connector.ts';
import type { SamlSettings } from '../providers/schema.ts';
import { clockSkewMs } from './assertion.ts';
import { invalid, malformed, sendMessage, type VerifiedMessage, verifyMessage } from './bindings.ts';
import { element, writeMessage } from './logout-xml.ts';
import {
  attributeOf,
  childrenOf,
  countAnywhere,
  instantOf,
  isElement,
  isSuccess,
  parseRoot,
  statusCodesOf,
  success,
  textOf,
} from './xml.ts';

export interface SamlLogoutDeps {
  readonly saml: SamlSettings;
  /** Our own: issuer of requests, audience of answers. */
  readonly entityId: string;
  readonly randomBytes: (size: number) => Buffer;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type SamlLogout = Required<
  Pick<RedirectConnector, 'beginLogout' | 'readSamlLogout' | 'answerSamlLogout'>
>;

/** How long a message may be under way. */
const requestTtlMs = 10 * 60_000;

/** @param certificates  PEM, checked */
export function createSamlLogout(deps: SamlLogoutDeps, certificates: readonly string[]): SamlLogout {
  const { entityId, randomBytes, now } = deps;
  const { metadata, signing } = deps.saml;
  const { logout } = metadata;
  /** Messages about logout have to be signed, so there are none without it. */
  const signingKey = signing?.key.reveal();

  return {
    async beginLogout({ logoutId, session }) {
      if (!logout || signingKey === undefined || session.hint === undefined) return undefined;
      const { binding, url } = logout;
      // As it was at sign-in, qualifiers included (Core §3.7.1).
      const { value, format, nameQualifier, spNameQualifier } = JSON.parse(session.hint);
      const names = { Format: format, NameQualifier: nameQualifier, SPNameQualifier: spNameQualifier };
      const about = [
        element('saml:NameID', names, value),
        ...(session.id === undefined ? [] : [element('samlp:SessionIndex', {}, session.id)]),
      ];
      // Another id for each try, and the answer to any of them leads back to the logout.
      const id = `_${logoutId}.${now().toString(36)}`;
      const until = { NotOnOrAfter: new Date(now() + requestTtlMs).toISOString() };
      const xml = write('LogoutRequest', { ID: id, Destination: url, ...until }, about.join(''));
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
      const ids = { ID: `_${randomBytes(20).toString('hex')}`, InResponseTo: messageId };
      // Every session that the request is about has ended.
      const status = `<samlp:Status><samlp:StatusCode Value="${success}"/></samlp:Status>`;
      const xml = write('LogoutResponse', { ...ids, Destination: url }, status);
      return sendMessage({ name: 'SAMLResponse', xml, relayState, binding, url, signingKey });
    },
  };

  function write(name: string, attributes: Readonly<Record<string, string>>, content: string): string {
    const issuedAt = new Date(now()).toISOString();
    return writeMessage(name, { ...attributes, IssueInstant: issuedAt }, entityId, content);
  }

  /** What requests and responses have in common (Core §3.2; Bindings §3.4.5.2, §3.5.5.2). */
  function checkAddressing(root: Element, logoutUrl: string): void {
    const issuers = childrenOf(root, 'assertion', 'Issuer').map(textOf);
    if (root.getAttribute('Version') !== '2.0') throw malformed('is not SAML 2.0');
    if (issuers.length !== 1 || issuers[0] !== metadata.entityId) throw invalid('comes from another issuer');
    if (attributeOf(root, 'Destination') !== logoutUrl) throw invalid('is meant for another address');
    const issuedAtMs = instantOf(attributeOf(root, 'IssueInstant'), invalid);
    if (issuedAtMs > now() + clockSkewMs) throw invalid('is not valid yet');
    if (issuedAtMs + requestTtlMs <= now() - clockSkewMs) throw invalid('has expired');
  }

  function readRequest(root: Element, { relayState }: VerifiedMessage): SamlLogoutMessage {
    if (!isElement(root, 'protocol', 'LogoutRequest')) throw malformed('is not a LogoutRequest');
    const id = attributeOf(root, 'ID');
    if (id === undefined || id.length > 256) throw malformed('has no id');
    if (relayState !== undefined && relayState.length > 1024) throw malformed('has too long a RelayState');
    const until = attributeOf(root, 'NotOnOrAfter');
    const notOnOrAfterMs = until === undefined ? Number.POSITIVE_INFINITY : instantOf(until, invalid);
    if (notOnOrAfterMs <= now() - clockSkewMs) throw invalid('has expired');
    const oldestMs = instantOf(attributeOf(root, 'IssueInstant'), invalid) + requestTtlMs;
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
    const codes = statusCodesOf(root);
    return { type: 'response', logoutId, isDone: codes.length === 1 && isSuccess(codes[0]!) };
  }
}
