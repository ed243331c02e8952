/** People of a running console who may take roles for a while. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { type CallApi, callsWith } from '../../admin-api/client-support.ts';
import { apiToken, type RunningConsole } from '../../helpers/console.ts';
import { refresh, signInForTokens } from '../../helpers/sign-in.ts';
import { createUserAgent, type UserAgent } from '../../helpers/user-agent.ts';

export const password = 'correct-staple-battery-9';
export const asked = { role: 'Admin', minutes: 20, reason: 'Ticket 4711: queue orders is stuck' };

export interface Person {
  readonly id: string;
  readonly agent: UserAgent;
  /** With the token of now. */
  readonly call: CallApi;
  token(): string;
  /** Takes another token; its status is that of the token endpoint. */
  renew(): Promise<number>;
  /** Begins an elevation and takes a token that has it. @returns its id */
  elevate(more?: object): Promise<string>;
}

/** A clock that tests move, seconds from now. */
export async function movableClock() {
  const file = join(await mkdtemp(join(tmpdir(), 'console-clock-')), 'clock');
  const set = (seconds: number) => writeFile(file, String(seconds));
  await set(0);
  const script = pathToFileURL(join(import.meta.dirname, '../../oidc/movable-clock.mjs')).href;
  return { set, env: { NODE_OPTIONS: `--import ${script}`, TEST_CLOCK_FILE: file } };
}

let count = 0;

/** Somebody new. */
export async function addPerson(console: RunningConsole, fields: object = {}): Promise<string> {
  const token = await apiToken(console);
  const id = `grace${count++}`;
  const body = { id, password, roles: ['Viewer'], eligibleRoles: ['Admin'], ...fields };
  const added = await callsWith(console, () => token)('POST', '/users', body);
  expect(added.status).toBe(201);
  return id;
}

export async function personOf(
  console: RunningConsole,
  username: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Person> {
  const agent = createUserAgent(console.url);
  const resource = `${console.url}/api`;
  let tokens = await signInForTokens(console, agent, { resource, ...parameters }, { username, password });
  const call = callsWith(console, () => tokens.access_token);
  const renew = async () => {
    const { status, body } = await refresh(console, tokens.refresh_token, { resource, ...parameters });
    if (status === 200) tokens = { ...tokens, ...body };
    return status;
  };
  return {
    id: username,
    agent,
    call,
    token: () => tokens.access_token,
    renew,
    async elevate(more = {}) {
      const begun = await call('POST', '/elevations', { ...asked, ...more });
      expect(begun).toMatchObject({ status: 201, body: { state: 'open', user: { username } } });
      expect(await renew()).toBe(200);
      return begun.body.id;
    },
  };
}

/** Somebody new who has signed in. */
export async function person(console: RunningConsole, fields: object = {}): Promise<Person> {
  return personOf(console, await addPerson(console, fields));
}

/** Entries of the audit about an elevation. */
export function entriesOf(console: RunningConsole, id: string) {
  return console.log().filter(({ audit, target }) => audit && target === id);
}

/** The entry of its end, which is written a little after the answer. */
export function endOf(console: RunningConsole, id: string): Promise<Record<string, unknown>> {
  return console.waitFor(
    () =>
      entriesOf(console, id).find(
        ({ event, outcome }) => event === 'elevation.ended' && outcome === 'success',
      ),
    `the end of ${id}`,
  );
}
