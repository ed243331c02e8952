/** The two messages of single logout as text (SAML Core §3.7), ready to be signed. */
import { namespaces } from './xml.ts';

export interface LogoutRequest {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly issuedAtMs: number;
  readonly usableUntilMs: number;
  /** Address of the provider. */
  readonly destination: string;
  /** Our entity id. */
  readonly issuer: string;
  readonly nameId: {
    readonly value: string;
    readonly format?: string;
    readonly nameQualifier?: string;
    readonly spNameQualifier?: string;
  };
  readonly sessionIndex: string | undefined;
}

export interface LogoutResponse {
  readonly id: string;
  readonly issuedAtMs: number;
  readonly destination: string;
  readonly issuer: string;
  /** Id of the request. */
  readonly inResponseTo: string;
}

export function writeLogoutRequest(request: LogoutRequest): string {
  const { value, format, nameQualifier, spNameQualifier } = request.nameId;
  const nameAttributes = attributes({
    Format: format,
    NameQualifier: nameQualifier,
    SPNameQualifier: spNameQualifier,
  });
  const sessionIndex =
    request.sessionIndex === undefined
      ? ''
      : `<samlp:SessionIndex>${escaped(request.sessionIndex)}</samlp:SessionIndex>`;
  const until = { NotOnOrAfter: new Date(request.usableUntilMs).toISOString() };
  const content = `<saml:NameID${nameAttributes}>${escaped(value)}</saml:NameID>${sessionIndex}`;
  return message('LogoutRequest', request, until, content);
}

/** That every session which the request is about has ended. */
export function writeLogoutResponse(response: LogoutResponse): string {
  const status = '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>';
  const content = `<samlp:Status>${status}</samlp:Status>`;
  return message('LogoutResponse', response, { InResponseTo: response.inResponseTo }, content);
}

function message(
  name: string,
  { id, issuedAtMs, destination, issuer }: Omit<LogoutResponse, 'inResponseTo'>,
  more: Readonly<Record<string, string>>,
  content: string,
): string {
  const all = attributes({
    'xmlns:samlp': namespaces.protocol,
    'xmlns:saml': namespaces.assertion,
    ID: id,
    Version: '2.0',
    IssueInstant: new Date(issuedAtMs).toISOString(),
    Destination: destination,
    ...more,
  });
  return `<samlp:${name}${all}><saml:Issuer>${escaped(issuer)}</saml:Issuer>${content}</samlp:${name}>`;
}

function attributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escaped(value)}"`]))
    .join('');
}

/** Line ends and tabs too: a parser would fold them in attributes. */
function escaped(text: string): string {
  return text.replace(/[<>&"'\r\n\t]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
