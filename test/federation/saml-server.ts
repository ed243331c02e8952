/** A SAML identity provider as browsers see one: a page that posts its answer to the console by itself. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SamlProvider } from '../../console/federation/providers/schema.ts';
import { Secret } from '../../platform/secret.ts';
import { providerBase } from '../helpers/providers.ts';
import {
  logoutUrl as honestLogoutUrl,
  idOf,
  postedFields,
  readBindingMessage,
  redirectQuery,
  writeLogoutResponse,
  writeRequest,
} from './saml-logout-messages.ts';
import * as honest from './saml-provider.ts';

export interface SamlServer {
  /** 127.0.0.1, which is another site than localhost. */
  readonly origin: string;
  /** As an administrator would register it at the console. */
  readonly provider: SamlProvider;
  /** Where a console of this address takes the answer. */
  readonly callbackUrl: string;
  readonly keys: honest.KeyPair;
  /** Where a console of this address takes logout messages. */
  readonly logoutUrl: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** A logout request of this provider, to be bent and signed. */
  logoutRequest(bent?: Parameters<typeof writeRequest>[0]): string;
  /** The answer to the console's logout request, to be bent and signed. */
  logoutResponse(request: string, bent?: Parameters<typeof writeLogoutResponse>[1]): string;
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

/**
 * @param id      of the provider at the console
 * @param logout  the binding by which this provider takes logout messages, if it does
 */
export async function startSamlServer(
  consoleUrl: string,
  id: string,
  name: string,
  logout?: 'redirect' | 'post',
): Promise<SamlServer> {
  const [keys, own] = [honest.newKeyPair(), honest.newKeyPair()];
  const callbackUrl = `${consoleUrl}/login/callback/${id}`;
  const logoutUrl = `${consoleUrl}/login/saml/${id}/logout`;
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const url = new URL(req.url!, origin);
    asked.push(url.pathname);
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    if (url.pathname === '/logout') return void answerLogout(req, res);
    if (url.pathname === '/start-logout') {
      return void res
        .writeHead(302, { location: `${logoutUrl}?${redirectQuery(logoutRequest(), keys)}` })
        .end();
    }
    if (url.pathname === '/logged-out') return void res.end('<title>Logged out of the provider</title>');
    if (url.pathname !== '/sign-on') return void res.writeHead(404).end('<link rel="icon" href="data:,">');
    res.end(postingPage(callbackUrl, answer(url.href)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    callbackUrl,
    keys,
    logoutUrl,
    asked,
    logoutRequest,
    logoutResponse,
    provider: {
      ...providerBase(id, name),
      kind: 'saml',
      saml: {
        metadata: {
          entityId: honest.providerEntityId,
          signOnUrl: `${origin}/sign-on`,
          certificates: [keys.certificate],
          nameIdFormats: [],
          ...(logout && {
            logout: { binding: logout, url: `${origin}/logout`, replyUrl: `${origin}/logged-out` },
          }),
        },
        ...(logout && { signing: { key: new Secret(own.key), certificate: own.certificate } }),
      },
    },
    answer,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };

  function logoutRequest(bent: Parameters<typeof writeRequest>[0] = {}): string {
    return writeRequest(bent).replaceAll(honestLogoutUrl, logoutUrl);
  }

  function logoutResponse(request: string, bent: Parameters<typeof writeLogoutResponse>[1] = {}): string {
    return writeLogoutResponse(idOf(request), bent).replaceAll(honestLogoutUrl, logoutUrl);
  }

  /** By the binding that the request came by. */
  async function answerLogout(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method === 'GET') {
      const { xml } = readBindingMessage({ method: 'GET', location: origin + req.url });
      const query = redirectQuery(logoutResponse(xml), keys, { name: 'SAMLResponse' });
      res.writeHead(302, { location: `${logoutUrl}?${query}` }).end();
      return;
    }
    const fields = Object.fromEntries(new URLSearchParams(await text(req)));
    const { xml } = readBindingMessage({ method: 'POST', location: origin, fields });
    res.end(postingPage(logoutUrl, postedFields(logoutResponse(xml), keys, 'SAMLResponse')));
  }

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
