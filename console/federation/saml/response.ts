/**
 * The checks on a SAML Response as a whole, before its signature is verified: that there is one thing
 * to verify and one thing to read, in the one place where each belongs. What is read afterwards comes
 * from proven bytes alone (proof.ts, assertion.ts).
 */
import { FederationError } from '../connector.ts';
import { checkIds, checkSignature } from './signature.ts';
import {
  attributeOf,
  childrenOf,
  countAnywhere,
  isElement,
  isSuccess,
  statusCodesOf,
  textOf,
} from './xml.ts';

export interface ExpectedResponse {
  /** Entity id of the provider. */
  readonly issuer: string;
  /** Where the response was posted to. */
  readonly callbackUrl: string;
  /** Id of the request that this browser has open. */
  readonly requestId: string;
}

/**
 * @param response  root of a text that has passed the guard
 * @throws {FederationError} 400 not a Response, 403 everything else (S46, S47)
 */
export function checkResponse(response: Element, expected: ExpectedResponse): void {
  if (!isElement(response, 'protocol', 'Response') || response.getAttribute('Version') !== '2.0') {
    throw new FederationError(400, 'The identity provider did not send a SAML 2.0 response');
  }
  checkStatus(response);
  checkParts(response);
  checkAddressing(response, expected);
  checkSignatures(response, [response, ...childrenOf(response, 'assertion', 'Assertion')]);
}

/** An error reply stays one even when it is signed and carries an assertion. */
function checkStatus(response: Element): void {
  const [code, ...others] = statusCodesOf(response);
  if (!code || others.length > 0) throw invalid('has no status');
  if (isSuccess(code)) return;
  const innermost = childrenOf(code, 'protocol', 'StatusCode')[0] ?? code;
  const reason = /:([A-Za-z]{1,40})$/.exec(innermost.getAttribute('Value') ?? '')?.[1] ?? 'no reason given';
  throw new FederationError(403, `The identity provider refused the sign-in (${reason})`);
}

/** One response, one assertion, plain or encrypted, in their places: every wrapping attack needs a second one. */
function checkParts(response: Element): void {
  if (countAnywhere(response, 'Response') !== 1) throw invalid('contains another response');
  const names = ['Assertion', 'EncryptedAssertion'] as const;
  const total = names.reduce((sum, name) => sum + countAnywhere(response, name), 0);
  if (total !== 1) throw invalid('does not contain exactly one assertion');
  const inPlace = names.flatMap((name) => childrenOf(response, 'assertion', name));
  if (inPlace.length !== 1) throw invalid('has its assertion in the wrong place');
}

/** SAML Bindings §3.5.5.2, Profiles §4.1.4.2. What is not signed here is checked in the assertion again. */
function checkAddressing(response: Element, expected: ExpectedResponse): void {
  const destination = attributeOf(response, 'Destination');
  const isSigned = childrenOf(response, 'signature', 'Signature').length > 0;
  if (destination === undefined ? isSigned : destination !== expected.callbackUrl) {
    throw invalid('is meant for another address');
  }
  const inResponseTo = attributeOf(response, 'InResponseTo');
  if (inResponseTo === undefined) throw invalid('was not asked for');
  if (inResponseTo !== expected.requestId) throw invalid('belongs to another sign-in');
  const issuers = childrenOf(response, 'assertion', 'Issuer').map(textOf);
  if (issuers.some((issuer) => issuer !== expected.issuer)) throw invalid('comes from another issuer');
}

/** @param signed  what may have a signature, once; nothing else under the root may */
export function checkSignatures(root: Element, signed: readonly Element[]): void {
  checkIds(root);
  const signatures = signed.flatMap((element) => {
    const own = childrenOf(element, 'signature', 'Signature');
    if (own.length > 1) throw invalid('is signed more than once');
    for (const signature of own) checkSignature(signature, element);
    return own;
  });
  if (countAnywhere(root, 'Signature') !== signatures.length) {
    throw invalid('has a signature in the wrong place');
  }
}

export function invalid(reason: string): FederationError {
  return new FederationError(403, `The answer of the identity provider ${reason}`);
}
