/** Who may show an answer of the authorization endpoint in a frame: an application that renews its own sign-in there. */
import type { Context } from 'koa';
import type { Clients } from '../clients/clients.ts';

/**
 * Nothing is shown in such a frame that somebody could be made to click on: with `prompt=none` the answer
 * goes to the redirect address at once, at the latest by a form that sends itself.
 *
 * @returns the origin of that address, when it is registered for the application that asks
 */
export async function silentRenewalFramePolicy(
  { path, query }: Pick<Context, 'path' | 'query'>,
  clients: Pick<Clients, 'find'>,
): Promise<string | undefined> {
  const { client_id: clientId, redirect_uri: redirectUri, prompt } = query;
  if (path !== '/oauth2/authorize' || prompt !== 'none') return undefined;
  if (typeof clientId !== 'string' || typeof redirectUri !== 'string') return undefined;
  const client = await clients.find(clientId);
  if (!client || client.disabled || !client.redirectUris.includes(redirectUri)) return undefined;
  const { origin } = new URL(redirectUri);
  return origin === 'null' ? undefined : origin;
}
