/** A person signs in by a crafted provider, which says of them what a test wants. */
import type { Reply, UserAgent } from '../helpers/user-agent.ts';
import { type CraftedProvider, clientId } from './crafted-provider.ts';

/** @param claims  of the ID token besides those that every one has @returns where the browser ends up */
export async function signInAt(
  crafted: CraftedProvider,
  agent: UserAgent,
  provider: string,
  claims: { readonly sub: string } & Readonly<Record<string, unknown>>,
): Promise<Reply> {
  await agent.get('/login');
  const left = await agent.get(`/login/start/${provider}`);
  return returnFrom(crafted, agent, provider, { href: String(left.headers.location), claims });
}

interface Away {
  /** Where the browser was sent. */
  readonly href: string;
  readonly claims: { readonly sub: string } & Readonly<Record<string, unknown>>;
}

/** The way back, from an authorization request that has been made. */
export async function returnFrom(
  crafted: CraftedProvider,
  agent: UserAgent,
  provider: string,
  { href, claims }: Away,
): Promise<Reply> {
  crafted.reset();
  crafted.userinfo = { sub: claims.sub };
  const { searchParams } = new URL(href);
  crafted.answer = async (res) => {
    const now = Math.floor(Date.now() / 1000);
    const token = await crafted.sign({
      iss: crafted.issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: searchParams.get('nonce'),
      ...claims,
    });
    const body = JSON.stringify({ access_token: 'access', token_type: 'Bearer', id_token: token });
    res.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };
  const query = new URLSearchParams({ code: 'code', state: searchParams.get('state')! });
  return agent.follow(await agent.get(`/login/callback/${provider}?${query}`));
}
