/** What tests of management pages have in common: people with roles, and forms of pages. */
import { expect } from 'vitest';
import { apiToken, type ConsoleOptions, type RunningConsole, startConsole } from './console.ts';
import { createUserAgent, type Fields, type Reply, type UserAgent } from './user-agent.ts';

export const personPassword = 'a-long-enough-password-7';

/** @throws {Error} unless the admin API answers well */
export async function callApi(
  console: Pick<RunningConsole, 'url'>,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${console.url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${await apiToken(console)}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** A console, and the browser of the administrator whom {@link startConsole} names, signed in. */
export async function startWithAdmin(
  options?: ConsoleOptions,
): Promise<{ readonly console: RunningConsole; readonly ada: UserAgent }> {
  const console = await startConsole(options);
  const ada = createUserAgent(console.url);
  await ada.signIn();
  return { console, ada };
}

/** A browser of somebody new who has these roles. */
export async function personWith(
  console: Pick<RunningConsole, 'url'>,
  id: string,
  roles: readonly string[],
): Promise<UserAgent> {
  await callApi(console, 'POST', '/users', { id, password: personPassword, roles });
  const agent = createUserAgent(console.url);
  await agent.signIn({ username: id, password: personPassword });
  return agent;
}

/** Sends the form of the page whose `do` is this one, as it was made, to the address of the page. */
export function sendForm(agent: UserAgent, page: Reply, name: string, fields: Fields = {}): Promise<Reply> {
  expect(page.body).toContain(`name="do" value="${name}"`);
  const version = hiddenIn(page, 'version');
  const base = hiddenIn(page, 'base');
  const idempotencyKey = hiddenIn(page, 'idempotencyKey');
  return agent.post(new URL(page.url).pathname, {
    csrf: hiddenIn(page, 'csrf')!,
    do: name,
    ...(version !== undefined && { version }),
    ...(base !== undefined && { base }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...fields,
  });
}

export function hiddenIn({ body }: Reply, name: string): string | undefined {
  const found = new RegExp(`name="${name}" value(?:="([^"]*)")?`).exec(body);
  // An empty value is written without its quotes, and sent all the same.
  return found ? (found[1] ?? '') : undefined;
}

/** Without a token and from elsewhere: what a form sends that is not one of ours (S31). */
export const foreignForms = [
  { name: 'without a token', fields: { csrf: '' }, headers: {} },
  { name: 'from another site', fields: {}, headers: { origin: 'https://evil.example' } },
] as const;
