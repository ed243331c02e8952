/** A SAML identity provider as browsers see one: a page that posts its answer to the console by itself. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SamlProvider } from '../../console/federation/provider-records.ts';
import { providerBase } from '../helpers/providers.ts';
import * as honest from './saml-provider.ts';

export interface SamlServer {
  /** 127.0.0.1, which is another site than localhost. */
  readonly origin: string;
  /** As an administrator would register it at the console. */
  readonly provider: SamlProvider;
  /** Where a console of this address takes the answer. */
  readonly callbackUrl: string;
  readonly keys: honest.KeyPair;
  /** The answer to the request at this address, as a form. */
  answer(location: string, change?: Partial<SamlAnswer>): Readonly<Record<string, string>>;
  close(): Promise<unknown>;
}

export interface SamlAnswer {
  readonly nameId: string;
  readonly bent: Parameters<typeof honest.writeResponse>[1];
  /** The whole message, once it is signed. */
  readonly alter: (signedXml: string) => string;
  readonly isUnsigned: boolean;
  readonly relayState: string | undefined;
}

let answers = 0;

/** @param id  of the provider at the console */
export async function startSamlServer(consoleUrl: string, id: string, name: string): Promise<SamlServer> {
  const keys = honest.newKeyPair();
  const callbackUrl = `${consoleUrl}/login/callback/${id}`;
  const server = createServer((req, res) => {
    const url = new URL(req.url!, origin);
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    if (url.pathname !== '/sign-on') return void res.writeHead(404).end('<link rel="icon" href="data:,">');
    res.end(postingPage(callbackUrl, answer(url.href)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    callbackUrl,
    keys,
    provider: {
      ...providerBase(id, name),
      kind: 'saml',
      saml: {
        metadata: {
          entityId: honest.providerEntityId,
          signOnUrl: `${origin}/sign-on`,
          certificates: [keys.certificate],
          nameIdFormats: [],
        },
      },
    },
    answer,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };

  function answer(location: string, change: Partial<SamlAnswer> = {}): Record<string, string> {
    const { nameId = 'user-4711', bent = {}, alter = (xml) => xml, isUnsigned = false } = change;
    const request = honest.readRequest(location);
    const assertionId = `_assertion${answers++}`;
    const xml = honest
      .writeResponse(request.id, { assertionId, ...bent })
      .replaceAll(honest.callbackUrl, callbackUrl)
      .replaceAll(honest.consoleEntityId, `${consoleUrl}/login/saml/${id}/metadata`)
      .replace('user-4711', nameId);
    const signed = alter(isUnsigned ? xml : honest.sign(xml, assertionId, keys));
    const relayState = 'relayState' in change ? change.relayState : request.relayState;
    return {
      SAMLResponse: Buffer.from(signed).toString('base64'),
      ...(relayState === undefined ? {} : { RelayState: relayState }),
    };
  }
}

function postingPage(action: string, fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  );
  return `<!doctype html><title>Signing in</title><link rel="icon" href="data:,">
<form method="post" action="${action}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`;
}
