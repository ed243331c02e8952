/** Reads an assertion out of bytes whose signature has been verified, and nothing else (S46, S47). */
import { defined } from '../../../platform/defined.ts';
import { FederationError, type UpstreamIdentity } from '../connector.ts';
import type { ExpectedResponse } from './response.ts';
import { attributeOf, childrenOf, elementsOf, instantOf, isElement, parseRoot, textOf } from './xml.ts';

/** How far the provider's clock may be off. */
export const clockSkewMs = 60_000;

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const conditionsUnderstood: ReadonlySet<string> = new Set([
  'AudienceRestriction',
  'OneTimeUse',
  'ProxyRestriction',
]);

export interface ExpectedAssertion extends ExpectedResponse {
  /** Our own entity id. */
  readonly audience: string;
  /** The attribute whose value says who it is, instead of the NameID. */
  readonly subjectAttribute?: string | undefined;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

export interface Assertion {
  readonly id: string;
  /** Epoch milliseconds after which it would be refused as expired, skew included: until then it must not be seen again. */
  readonly usableUntilMs: number;
  readonly subject: string;
  readonly attributes: UpstreamIdentity['attributes'];
  readonly session: NonNullable<UpstreamIdentity['session']>;
}

/**
 * @param signedXml  canonical bytes as the signature covers them
 * @throws {FederationError} 403
 */
export async function readAssertion(signedXml: string, expected: ExpectedAssertion): Promise<Assertion> {
  const assertion = parseRoot(signedXml, 403);
  const id = attributeOf(assertion, 'ID');
  if (!id || !isElement(assertion, 'assertion', 'Assertion') || assertion.getAttribute('Version') !== '2.0') {
    throw invalid('is not a SAML 2.0 assertion');
  }
  if (textOf(only(assertion, 'Issuer')) !== expected.issuer) throw invalid('comes from another issuer');
  checkConditions(only(assertion, 'Conditions'), expected);
  const subject = only(assertion, 'Subject');
  const usableUntilMs = checkConfirmation(subject, expected);
  const statement = only(assertion, 'AuthnStatement');
  checkTimes(statement, { until: 'SessionNotOnOrAfter' }, expected.nowMs);
  const attributes = readAttributes(assertion);
  const { subjectAttribute } = expected;
  const nameId = readNameId(subject, subjectAttribute !== undefined);
  const name = subjectAttribute === undefined ? nameId!.value : readSubject(attributes, subjectAttribute);
  const session = defined({
    id: attributeOf(statement, 'SessionIndex'),
    hint: nameId?.hint,
    // What a logout of the provider calls the person.
    name: nameId?.value === name ? undefined : nameId?.value,
  });
  return { id, usableUntilMs, subject: name, attributes, session };
}

/** @param isSpare  who it is stands elsewhere: then it may be missing, or change with each session */
function readNameId(subject: Element, isSpare: boolean): { value: string; hint: string } | undefined {
  if (childrenOf(subject, 'assertion', 'EncryptedID').length > 0) {
    throw invalid(
      'encrypts the name of the person, which is not supported: let the provider encrypt the assertion',
    );
  }
  if (isSpare && childrenOf(subject, 'assertion', 'NameID').length === 0) return undefined;
  const nameId = only(subject, 'NameID');
  const value = textOf(nameId);
  if (value === '' || value.length > 1024) throw invalid('names nobody');
  if (!isSpare && nameId.getAttribute('Format') === transient) {
    throw invalid(
      'names the person only for this session: set the provider to a persistent NameID, or name an attribute that stays (--subject-attribute)',
    );
  }
  return { value, hint: logoutHint(nameId, value) };
}

/** One value: of two, which one is the person is not ours to guess. */
function readSubject(attributes: Assertion['attributes'], name: string): string {
  const values = Object.hasOwn(attributes, name) ? attributes[name]! : [];
  if (values.length === 1 && values[0] !== '' && values[0]!.length <= 1024) return values[0]!;
  throw invalid(`does not have exactly one value of the attribute ${name}, which says who it is`);
}

/** SAML Core §2.5.1: a condition that is not understood makes the assertion undecidable, which is a no. */
function checkConditions(conditions: Element, { audience, nowMs }: ExpectedAssertion): void {
  checkTimes(conditions, { from: 'NotBefore', until: 'NotOnOrAfter' }, nowMs);
  if (!elementsOf(conditions).every(({ localName }) => conditionsUnderstood.has(localName))) {
    throw invalid('carries a condition that is not understood');
  }
  const restrictions = childrenOf(conditions, 'assertion', 'AudienceRestriction');
  const isForUs = restrictions.every((restriction) =>
    childrenOf(restriction, 'assertion', 'Audience').map(textOf).includes(audience),
  );
  if (restrictions.length === 0 || !isForUs) throw invalid('is meant for another application');
}

/** SAML Profiles §4.1.4.2-3: one bearer confirmation must hold in every part. */
function checkConfirmation(subject: Element, expected: ExpectedAssertion): number {
  const data = childrenOf(subject, 'assertion', 'SubjectConfirmation')
    .filter((confirmation) => confirmation.getAttribute('Method') === bearer)
    .map((confirmation) => only(confirmation, 'SubjectConfirmationData'));
  if (data.length !== 1) throw invalid('does not have exactly one bearer confirmation');
  const confirmation = data[0]!;
  if (confirmation.getAttribute('Recipient') !== expected.callbackUrl)
    throw invalid('is meant for another address');
  const inResponseTo = attributeOf(confirmation, 'InResponseTo');
  if (inResponseTo === undefined) throw invalid('was not asked for');
  if (inResponseTo !== expected.requestId) throw invalid('belongs to another sign-in');
  checkTimes(confirmation, { from: 'NotBefore', until: 'NotOnOrAfter' }, expected.nowMs);
  const notOnOrAfter = attributeOf(confirmation, 'NotOnOrAfter');
  if (notOnOrAfter === undefined) throw invalid('does not say how long it is valid');
  return instantOf(notOnOrAfter, invalid) + clockSkewMs;
}

function checkTimes(
  element: Element,
  { from, until }: { readonly from?: string; readonly until: string },
  nowMs: number,
): void {
  const notBefore = from && attributeOf(element, from);
  if (notBefore && instantOf(notBefore, invalid) > nowMs + clockSkewMs) throw invalid('is not valid yet');
  const notOnOrAfter = attributeOf(element, until);
  if (notOnOrAfter && instantOf(notOnOrAfter, invalid) <= nowMs - clockSkewMs) throw invalid('has expired');
}

/** A name that comes twice gives the values of both; names such as `__proto__` are names like any other. */
function readAttributes(assertion: Element): UpstreamIdentity['attributes'] {
  const values = new Map<string, string[]>();
  for (const statement of childrenOf(assertion, 'assertion', 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, 'assertion', 'Attribute')) {
      const name = attributeOf(attribute, 'Name');
      if (name === undefined) continue;
      const found = childrenOf(attribute, 'assertion', 'AttributeValue').map(textOf);
      values.set(name, [...(values.get(name) ?? []), ...found]);
    }
  }
  return Object.fromEntries(values);
}

/** What a LogoutRequest has to repeat of the NameID (SAML Core §3.7.1), as JSON. */
function logoutHint(nameId: Element, value: string): string {
  return JSON.stringify({
    value,
    format: attributeOf(nameId, 'Format'),
    nameQualifier: attributeOf(nameId, 'NameQualifier'),
    spNameQualifier: attributeOf(nameId, 'SPNameQualifier'),
  });
}

function only(parent: Element, name: string): Element {
  const found = childrenOf(parent, 'assertion', name);
  if (found.length !== 1) throw invalid(`does not contain exactly one ${name}`);
  return found[0]!;
}

function invalid(reason: string): FederationError {
  return new FederationError(403, `The assertion of the identity provider ${reason}`);
}
