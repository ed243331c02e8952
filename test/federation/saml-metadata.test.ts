import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { readProviderMetadata, writeOwnMetadata } from '../../console/federation/saml/metadata.ts';
import {
  callbackUrl,
  consoleEntityId,
  type KeyPair,
  missingOpenssl,
  newKeyPair,
  ownPair,
  providerEntityId,
  signOnUrl,
} from './saml-provider.ts';

const obstacle = missingOpenssl();
const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const postBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';

describe.skipIf(obstacle)(`SAML metadata${obstacle ? ` (${obstacle})` : ''}`, () => {
  let idp: KeyPair;
  let next: KeyPair;
  let weak: KeyPair;

  beforeAll(() => {
    idp = newKeyPair();
    next = newKeyPair();
    weak = newKeyPair(['-newkey', 'rsa:1024']);
  });

  const key = (use: string, { certificate }: KeyPair) =>
    `<md:KeyDescriptor ${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>\n${certificate
      .replace(/-----[^-]+-----/g, '')
      .trim()}\n</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;

  function metadata() {
    return `<?xml version="1.0"?><!-- our provider -->
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${providerEntityId}" validUntil="2099-01-01T00:00:00Z">
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol urn:oasis:names:tc:SAML:2.0:protocol">
    ${key('use="signing"', idp)}${key('', next)}${key('use="encryption"', weak)}
    <md:SingleLogoutService Binding="${redirectBinding}" Location="https://idp.example/out" ResponseLocation="https://idp.example/out-reply"/>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
    <md:SingleSignOnService Binding="${postBinding}" Location="https://idp.example/post"/>
    <md:SingleSignOnService Binding="${redirectBinding}" Location="${signOnUrl}"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;
  }

  test('tells addresses and signing certificates of a provider', async () => {
    const read = await readProviderMetadata(metadata(), Date.now());
    expect(read).toMatchObject({
      entityId: providerEntityId,
      signOnUrl,
      logout: {
        binding: 'redirect',
        url: 'https://idp.example/out',
        replyUrl: 'https://idp.example/out-reply',
      },
      nameIdFormats: ['urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'],
    });
    const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256;
    expect(read.certificates.map(fingerprint)).toEqual(
      [idp, next].map((pair) => fingerprint(pair.certificate)),
    );
  });

  test('finds the one provider of a collection', async () => {
    const collection = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${metadata().replace(/^<\?xml.*\n/, '')}</md:EntitiesDescriptor>`;
    expect((await readProviderMetadata(collection, Date.now())).entityId).toBe(providerEntityId);
  });

  test.each([
    { name: 'a document type (S48)', change: (xml: string) => xml.replace('<!--', '<!DOCTYPE a><!--') },
    { name: 'an entity (S48)', change: (xml: string) => xml.replace('/out"', '/&out;"') },
    { name: 'more than 256 KiB (S48)', change: (xml: string) => xml + ' '.repeat(256 * 1024) },
    {
      name: 'an address that runs script',
      change: (xml: string) => xml.replace(signOnUrl, 'javascript:alert(1)'),
    },
    {
      name: 'an address with a password',
      change: (xml: string) => xml.replace('https://idp.example/out"', 'https://a:b@idp.example/out"'),
    },
    {
      name: 'no address for HTTP-Redirect or HTTP-POST',
      change: (xml: string) =>
        xml.replaceAll(redirectBinding, 'urn:other').replaceAll(postBinding, 'urn:other'),
    },
    { name: 'no entity id', change: (xml: string) => xml.replace('entityID', 'entityName') },
    { name: 'a document that has expired', change: (xml: string) => xml.replace('2099-', '2019-') },
    {
      name: 'a document that expires some day',
      change: (xml: string) => xml.replace('2099-01-01T00:00:00Z', 'soon'),
    },
    {
      name: 'no signing key',
      change: (xml: string) =>
        xml
          .replaceAll('<md:KeyDescriptor', '<md:KeyDescriptor2')
          .replaceAll('</md:KeyDescriptor', '</md:KeyDescriptor2'),
    },
    { name: 'a weak signing key', change: (xml: string) => xml.replace('use="encryption"', 'use="signing"') },
    { name: 'a certificate that is none', change: (xml: string) => xml.replace('MII', 'AAA') },
    {
      name: 'a provider of SAML 1.1',
      change: (xml: string) => xml.replace('urn:oasis:names:tc:SAML:2.0:protocol', ''),
    },
    {
      name: 'an application instead of a provider',
      change: (xml: string) => xml.replaceAll('IDPSSODescriptor', 'SPSSODescriptor'),
    },
    { name: 'something that is not XML', change: () => 'hello' },
  ])('refuses $name', async ({ change }) => {
    await expect(readProviderMetadata(change(metadata()), Date.now())).rejects.toMatchObject({
      name: 'FederationError',
      status: 400,
    });
  });

  test('tells a provider who we are, with and without a signing key', () => {
    const plain = writeOwnMetadata({ entityId: consoleEntityId, callbackUrl }, {});
    expect(plain).toContain(`entityID="${consoleEntityId}"`);
    expect(plain).toContain(`Location="${callbackUrl}"`);
    expect(plain).toContain('WantAssertionsSigned="true"');
    expect(plain).toContain('AuthnRequestsSigned="false"');
    const signing = writeOwnMetadata({ entityId: consoleEntityId, callbackUrl }, { signing: ownPair(idp) });
    expect(signing).toContain('AuthnRequestsSigned="true"');
    expect(signing.replaceAll(/\s/g, '')).toContain(idp.certificate.split('\n')[1]!);
    expect(signing).not.toContain('PRIVATE');
  });

  test('tells a provider where logout messages go, the binding without a form first', () => {
    const logoutUrl = 'https://console.example/login/saml/corp/logout';
    const xml = writeOwnMetadata({ entityId: consoleEntityId, callbackUrl, logoutUrl }, {});
    const services = [...xml.matchAll(/<SingleLogoutService Binding="([^"]*)" Location="([^"]*)"/g)];
    expect(services.map(([, binding, location]) => [binding, location])).toEqual([
      [redirectBinding, logoutUrl],
      [postBinding, logoutUrl],
    ]);
    expect(writeOwnMetadata({ entityId: consoleEntityId, callbackUrl }, {})).not.toContain('SingleLogout');
  });
});
