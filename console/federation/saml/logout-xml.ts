/** Messages of single logout as text (SAML Core §3.7), ready to be signed. */
import { namespaces } from './xml.ts';

type Attributes = Readonly<Record<string, string | undefined>>;

/** @param content  elements, after the Issuer */
export function writeMessage(name: string, attributes: Attributes, issuer: string, content: string): string {
  const spaces = { 'xmlns:samlp': namespaces.protocol, 'xmlns:saml': namespaces.assertion };
  const all = written({ ...spaces, Version: '2.0', ...attributes });
  return `<samlp:${name}${all}>${element('saml:Issuer', {}, issuer)}${content}</samlp:${name}>`;
}

export function element(name: string, attributes: Attributes, text: string): string {
  return `<${name}${written(attributes)}>${escaped(text)}</${name}>`;
}

function written(attributes: Attributes): string {
  return Object.entries(attributes)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escaped(value)}"`]))
    .join('');
}

/** Line ends and tabs too: a parser would fold them in attributes. */
function escaped(text: string): string {
  return text.replace(/[<>&"'\r\n\t]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
