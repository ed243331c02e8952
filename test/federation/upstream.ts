/** A person on the way to an upstream OpenID provider and back. */

import { createUserAgent, type Reply, type UserAgent } from '../helpers/user-agent.ts';
import { type RunningProvider, startProvider } from './support.ts';

/** A provider that nobody here wrote, at which a console of this address is registered. */
export function startOpenIdProvider(
  consoleUrl: string,
  id: string,
  ...others: readonly string[]
): Promise<RunningProvider> {
  const client = {
    client_id: 'console',
    redirect_uris: [id, ...others].map((each) => `${consoleUrl}/login/callback/${each}`),
    post_logout_redirect_uris: [`${consoleUrl}/login/logout/${id}`],
    backchannel_logout_uri: `${consoleUrl}/login/backchannel/${id}`,
    backchannel_logout_session_required: true,
    token_endpoint_auth_method: 'none',
    scope: 'openid email profile groups',
  };
  return startProvider({ clients: [client] });
}

/** Follows the link of the sign-in page. @returns the address at the provider */
export async function leave(agent: UserAgent, page: Reply, name: string): Promise<string> {
  const reply = await agent.get(new URL(linkOf(page, name), page.url).href);
  if (reply.status !== 303) throw new Error(`no way out: ${reply.status} ${reply.body}`);
  return reply.headers.location!;
}

export function linkOf({ body }: Reply, name: string): string {
  const href = [...body.matchAll(/<a href="([^"]+)" class="button(?: primary)?">([^<]*)<\/a>/g)].find(
    ([, , text]) => text === name || text === `Sign in with ${name}`,
  )?.[1];
  if (href === undefined) throw new Error(`no link ${name} in ${body}`);
  return href;
}

/** Signs in at the provider's own pages and consents. @returns the address that it sends the browser to */
export async function signInAbroad(
  location: string,
  login = 'ada',
  there: UserAgent = createUserAgent(new URL(location).origin),
): Promise<string> {
  let page = await there.follow(await there.get(location));
  for (let pages = 0; page.status === 200 && pages < 3; pages++) {
    page = await there.follow(await there.submit(page, { login, password: 'whatever' }));
  }
  const back = page.headers.location;
  if (back === undefined) throw new Error(`no way back: ${page.status} ${page.body}`);
  return back;
}

/** Refuses at the provider. @returns the address that it sends the browser to */
export async function abortAbroad(location: string): Promise<string> {
  const there = createUserAgent(new URL(location).origin);
  const page = await there.follow(await there.get(location));
  const href = /<a href="([^"]*\/abort)"/.exec(page.body)?.[1];
  if (href === undefined) throw new Error(`no way to abort in ${page.body}`);
  const reply = await there.follow(await there.get(new URL(href, page.url).href));
  return reply.headers.location!;
}
