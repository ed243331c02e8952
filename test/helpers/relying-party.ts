/** An application with a back channel: keeps what the console posts to it, and answers as it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientRecord } from '../../console/storage/records.ts';
import { admin, type RunningConsole } from './console.ts';
import { authorizationPath, redeem, type Tokens } from './sign-in.ts';
import { addClient, thirdParty } from './store.ts';
import type { UserAgent } from './user-agent.ts';

/** @param attempt  from 1 */
export type Answer = (res: ServerResponse, attempt: number) => unknown;

export interface Posted {
  readonly contentType: string | undefined;
  readonly form: URLSearchParams;
  readonly token: string;
}

export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
  /** Posts to the back channel. */
  readonly posted: Posted[];
  /** Everything else that was asked for, with the cookies that came along. */
  readonly visited: { readonly url: string; readonly cookie: string | undefined }[];
  readonly client: ClientRecord;
  answer: Answer;
  /** What its pages hold. */
  page: string;
  close(): Promise<unknown>;
}

export const confirm: Answer = (res) => res.writeHead(200).end();

/** @param given  what its registration says otherwise; addresses may begin with `ORIGIN` */
export async function startRelyingParty(
  id: string,
  { answer = confirm, ...given }: Partial<ClientRecord> & { readonly answer?: Answer } = {},
): Promise<RelyingParty> {
  const server = createServer((req, res) => void respond(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const party: RelyingParty = {
    id,
    origin,
    posted: [],
    visited: [],
    answer,
    page: '',
    client: withOrigin(origin, {
      ...thirdParty,
      id,
      isFirstParty: true,
      redirectUris: ['ORIGIN/callback'],
      postLogoutRedirectUris: ['ORIGIN/'],
      ...(given.frontchannelLogoutUri === undefined ? { backchannelLogoutUri: 'ORIGIN/logout' } : {}),
      ...given,
    }),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return party;

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'POST') {
      party.visited.push({ url: req.url ?? '', cookie: req.headers.cookie });
      res.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': `${id}=signed-in; HttpOnly` });
      res.end(`<!doctype html><title>${id}</title><link rel="icon" href="data:,">${party.page}`);
      return;
    }
    let body = '';
    for await (const part of req) body += part;
    const form = new URLSearchParams(body);
    const contentType = req.headers['content-type'];
    party.posted.push({ contentType, form, token: form.get('logout_token') ?? '' });
    await party.answer(res, party.posted.length);
  }
}

/** Registers applications with a running console as another process does. */
export async function register(
  console: Pick<RunningConsole, 'dataDir'>,
  ...parties: readonly RelyingParty[]
): Promise<void> {
  for (const { client } of parties) await addClient(console.dataDir, client);
}

/** Signs in to the application, with the form when the browser has no session yet. */
export async function signInTo(
  console: Pick<RunningConsole, 'url'>,
  agent: UserAgent,
  party: RelyingParty,
  credentials: { readonly username: string; readonly password: string } = admin,
): Promise<Tokens> {
  const redirect = { client_id: party.id, redirect_uri: `${party.origin}/callback` };
  const page = await agent.follow(await agent.get(authorizationPath(redirect)));
  const end = page.status === 200 ? await agent.follow(await agent.submit(page, credentials)) : page;
  const { location = '' } = end.headers;
  if (!location.startsWith(redirect.redirect_uri)) throw new Error(`no sign-in: ${end.status} ${end.body}`);
  const { status, body } = await redeem(console, new URL(location).searchParams.get('code'), redirect);
  if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** What the audit log says of the notices to one application, in order. */
export function noticesTo(console: Pick<RunningConsole, 'log'>, clientId: string): Record<string, unknown>[] {
  return console.log().filter((line) => line.event === 'logout.notified' && line.clientId === clientId);
}

function withOrigin(origin: string, client: ClientRecord): ClientRecord {
  return JSON.parse(JSON.stringify(client).replaceAll('"ORIGIN', `"${origin}`)) as ClientRecord;
}
