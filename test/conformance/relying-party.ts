/** The console as relying party: for each module the suite is a provider with keys of its own, and somebody signs in by it. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createUserAgent, formsOf, type Reply, type UserAgent } from '../helpers/user-agent.ts';
import type { Subject } from './subject.ts';
import type { RunningSuite } from './suite/processes.ts';

export const providerAlias = 'upstream';
const clientId = 'console-at-suite';
const clientSecret = 'conformance-relying-party-0123456789abcdef0123456789';

export function relyingPartyConfiguration(console: string): object {
  return {
    alias: providerAlias,
    description: 'Cluster Console as relying party',
    waitTimeoutSeconds: 3,
    client: {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uri: `${console}/login/callback/${providerAlias}`,
      post_logout_redirect_uri: `${console}/login/logout/${providerAlias}`,
      backchannel_logout_uri: `${console}/login/backchannel/${providerAlias}`,
      id_token_signed_response_alg: 'RS256',
    },
  };
}

/** The console reads a provider's key set again after a minute, or at a key that it does not know. */
const keySetMs = 65_000;
/** For a logout token that the suite sends after its own page. */
const noticeMs = 2_000;

/** What a person does while the suite waits for it. */
export async function useProvider(subject: Subject, suite: RunningSuite, module: string): Promise<void> {
  const provider = `/test/a/${providerAlias}`;
  await configureProvider(subject, `${suite.origin}${provider}/`);
  const browser = createBrowser(subject, suite.origin);
  const start = `${subject.url}/login/start/${providerAlias}`;
  if (module.endsWith('discovery-openid-config')) {
    // Over as soon as the provider's metadata have been read.
    await browser.at(start).get(start);
    return;
  }
  if (module.endsWith('discovery-jwks-uri-keys')) {
    // Over as soon as the key set has been read. The suite fails a module that is asked for more while it ends.
    await suite.whileShut(`${provider}/userinfo`, () => browser.open(start));
    return;
  }
  await browser.open(start);
  if (module.includes('logout')) {
    await signOut(subject, browser);
    await wait(noticeMs);
  }
  if (module.endsWith('signing-key-rotation')) {
    await wait(keySetMs);
    await createBrowser(subject, suite.origin).open(start);
  }
}

async function configureProvider({ tool }: Subject, issuer: string): Promise<void> {
  await tool(['idp', 'remove', '--yes', providerAlias, '--with-accounts']).catch(() => {});
  const provider = ['--kind', 'oidc', '--name', 'Suite', '--issuer', issuer, '--client-id', clientId];
  const rest = ['--client-secret-file', '-', '--default-role', 'Viewer', '--id-token-alg', 'RS256'];
  await tool(['idp', 'add', providerAlias, ...provider, ...rest], clientSecret);
}

async function signOut(subject: Subject, browser: Browser): Promise<void> {
  const question = await browser.open(`${subject.url}/connect/logout`);
  if (formsOf(question.body).length === 0) return;
  const answered = await browser.submit(question);
  const onward = /url=(\S+)/.exec(String(answered.headers.refresh ?? ''))?.[1];
  if (onward !== undefined) await browser.open(new URL(onward, answered.url).href);
}

interface Browser {
  at(url: string): UserAgent;
  /** Follows redirects and forms that send themselves, from site to site. */
  open(url: string): Promise<Reply>;
  submit(page: Reply): Promise<Reply>;
}

function createBrowser(subject: Subject, suiteOrigin: string): Browser {
  const ca = readFileSync(subject.certificate.cert, 'utf8');
  const agents = new Map(
    [subject.url, suiteOrigin].map((origin) => [origin, createUserAgent(origin, { ca })]),
  );

  return { at, open: async (url) => follow(await at(url).get(url)), submit };

  function at(url: string): UserAgent {
    const agent = agents.get(new URL(url).origin);
    if (!agent) throw new Error(`sent to ${url}`);
    return agent;
  }

  async function follow(first: Reply): Promise<Reply> {
    let reply = first;
    for (let hops = 0; hops < 15; hops++) {
      const { location } = reply.headers;
      if (location !== undefined) {
        const to = new URL(location, reply.url).href;
        reply = await at(to).get(to);
      } else if (reply.url.startsWith(suiteOrigin) && reply.body.includes('submit()')) {
        reply = await send(reply);
      } else return reply;
    }
    throw new Error(`redirected too often, at last to ${reply.url}`);
  }

  async function submit(page: Reply): Promise<Reply> {
    return follow(await send(page, { logout: 'yes' }));
  }

  function send(page: Reply, more: Readonly<Record<string, string>> = {}): Promise<Reply> {
    const [form] = formsOf(page.body);
    const target = new URL(form!.action, page.url).href;
    return at(target).post(target, { ...form!.hidden, ...more }, { origin: new URL(page.url).origin });
  }
}
