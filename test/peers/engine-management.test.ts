/**
 * The member's management calls beside those of the real engine: the same walk at both. Where the answers differ the
 * row names the line of the table in `docs/member.md` that says so; bodies of 400 and 500 are always empty here.
 */
import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadMemberConfig } from '../../member/config/load.ts';
import { type Member, startMember } from '../../member/member.ts';
import { ask } from '../helpers/wire.ts';
import { managedFile } from '../member/management-support.ts';
import {
  type EngineCluster,
  engineStartMs,
  releases,
  startEngineMembers,
  whyNoEngine,
} from './support/engine-members.ts';

const rest = '/hazelcast/rest';
const management = `${rest}/management/cluster`;
const cp = `${rest}/cp-subsystem`;
const unknown = '4dbd5b2e-6a2f-4d41-9a0d-1b6a3b0a8a11';
const document = readFileSync(new URL('../../docs/member.md', import.meta.url), 'utf8');

interface Difference {
  readonly here: string;
  readonly line: string;
}

/** Method, path, body, and where this member differs: its own answer and the first cell of the documented line. */
type Row = readonly [
  method: string,
  path: string,
  body?: string | undefined,
  differs?: Difference | undefined,
];

const posts = (path: string, bodies: readonly string[]): Row[] => bodies.map((body) => ['POST', path, body]);
const encodedOnce = {
  here: '403 {"status":"fail","message":"unauthenticated"}',
  line: 'name and password may be encoded once',
};

const walk: readonly Row[] = [
  ...posts(`${management}/state`, ['', 'dev', 'dev&', 'dev&&more', 'DEV&', 'wrong&', '%zz&', 'dev&%zz']),
  ...posts(`${management}/state`, ['%64ev&', '%2564ev&', 'd%252565v&', 'dev+&', 'dev&%25zz']),
  ['POST', `${management}/state`, '%25zz&', encodedOnce],
  ['GET', `${management}/state`],
  ...posts(`${management}/changeState`, [
    'dev',
    'dev&',
    'dev&&',
    'wrong&&x',
    'dev&&frozen&more',
    'dev&&IN_transition',
  ]),
  ...posts(`${management}/changeState`, ['dev&&no_migration', 'dev&&NO_migration', 'dev&&passive']),
  ...['', '/ready', '/node-state', '/cluster-state'].map(
    (probe): Row => ['GET', `/hazelcast/health${probe}`],
  ),
  ['HEAD', '/hazelcast/health'],
  ['GET', '/hazelcast/health/x'],
  ...posts(`${rest}/maps/m/k`, ['v']),
  ...posts(`${rest}/queues/q`, ['v']),
  ['DELETE', `${rest}/maps/m/k`],
  ['DELETE', `${rest}/maps/m`],
  ['GET', `${rest}/queues/q/0`],
  ['DELETE', `${rest}/queues/q/0`],
  ...posts(`${management}/changeState`, ['dev&&active', 'dev&&active']),
  ['GET', `${management}/version`],
  ...posts(`${management}/version`, [
    'dev&&<minor>',
    'dev&&<minor>.0',
    'dev&&9.9',
    'dev&&x',
    'dev&&',
    'dev&& <minor>',
  ]),
  ...['FINE', '850', 'all', 'no', ' fine', '99999999999', 'OFF'].flatMap((level): Row[] => [
    ['POST', `${rest}/log-level`, `dev&&${level}`],
    ['GET', `${rest}/log-level`],
  ]),
  ...posts(`${rest}/log-level/reset`, ['dev', 'wrong&', 'dev&']),
  ['GET', `${rest}/log-level`],
  [
    'DELETE',
    `${rest}/log-level`,
    undefined,
    {
      here: '200 {"status":"success","message":"log level is reset"}',
      line: '`DELETE /log-level` and `POST /log-level/reset`',
    },
  ],
  ['GET', `${rest}/license`],
  ...posts(`${cp}/groups/METADATA/remove`, ['dev&', 'wrong&', 'dev']),
  ...posts(`${cp}/reset`, ['dev&', 'wrong&']),
  ...posts(`${management}/memberShutdown`, ['wrong&', 'dev', 'dev&']),
];

/** With CP on: three members there, one here. */
const cpWalk: readonly Row[] = [
  ['GET', `${cp}/members/local`],
  ['GET', `${cp}/members`],
  [
    'GET',
    `${cp}/groups`,
    undefined,
    {
      here: '200 [{"name":"METADATA","id":0},{"name":"default","id":1}]',
      line: '`default` is there from the start',
    },
  ],
  ['GET', `${cp}/groups/METADATA`],
  ['GET', `${cp}/groups/none`],
  ['GET', `${cp}/groups/METADATA/sessions`],
  ['GET', `${cp}/groups/none/sessions`],
  ...['members', 'groups/METADATA/remove', 'groups/metadata/remove', 'groups/none/remove'].map(posted),
  ...[`members/${unknown}/remove`, 'members/x/remove', 'members/1-1-1-1-1/remove'].map(posted),
  ...['none/sessions/1', 'METADATA/sessions/1', 'none/sessions/x'].map((path) =>
    posted(`groups/${path}/remove`),
  ),
  posted('reset'),
  ['GET', `${cp}/members`],
];

describe
  .skipIf(whyNoEngine)
  .each([
    ...releases.map((version) => ({ version, count: 1, rows: walk })),
    { version: '5.3.8' as const, count: 3, rows: cpWalk },
  ])(`$count of $version and this member${whyNoEngine ?? ''}`, ({ version, count, rows }) => {
  let engine: EngineCluster;
  let member: Member;
  const differences: string[] = [];

  beforeAll(async () => {
    const config = count === 1 ? {} : { 'cp-subsystem': { 'cp-member-count': count } };
    engine = await startEngineMembers({ version, count, config });
    const file = managedFile(count === 1 ? '' : 'cp-subsystem: { cp-member-count: 1 }');
    member = await startMember({
      config: loadMemberConfig(file, { file: 'member.yaml' }),
      host: '127.0.0.1',
      port: 0,
      log: pino({ level: 'silent' }, { write() {} }),
    });
    if (count > 1) await cpIsUp(engine.members[0]!.address, count);
  }, engineStartMs);
  afterAll(async () => {
    await member?.close();
    await engine?.stop();
    process.stdout.write(differences.map((line) => `  ${version}: ${line}\n`).join(''));
  });

  const calls = rows.map(([method, path, body, differs]) => ({ method, path, body, differs }));
  test.each(calls)('$method $path $body', async ({ method, path, body, differs }) => {
    const there = await answer(engine.members[0]!.address, version, method, path, body);
    const here = await answer(member.address, '5.5.0', method, path, body);
    if (there !== here)
      differences.push(`${method} ${path} ${body ?? ''}: ${here} here, ${there.slice(0, 120)} there`);
    expect(here).toBe(differs?.here ?? bare(there));
    if (differs !== undefined) {
      expect(there).not.toBe(here);
      expect(document).toContain(`\n| ${differs.line}`);
    }
  });
});

function posted(path: string): Row {
  return ['POST', `${cp}/${path}`, 'dev&'];
}

/** Status and body, without what is another one at each start. */
async function answer(address: string, version: string, method: string, path: string, body?: string) {
  const minor = version.replace(/\.\d+$/, '');
  const sent = body?.replace('<minor>', minor);
  const reply = await ask(address, method, path, sent === undefined ? {} : { body: sent });
  const states = ['hazelcast-nodestate', 'hazelcast-clusterstate', 'hazelcast-clustersize'];
  const text = reply.body
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/127\.0\.0\.1\]:\d+/g, '<host>]')
    .replace(/(\{"uuid":[^}]+\})(?:,\1)+/, '$1')
    .replace(`"version":"${minor}"`, '"version":"<minor>"');
  const headers = states.map((name) => reply.headers[name]);
  return [reply.status, text, ...headers].filter((part) => part !== undefined && part !== '').join(' ');
}

/** As the specification has it (docs/member-surface.md#errors). */
function bare(line: string): string {
  return /^[45]00/.test(line) ? line.slice(0, 3) : line;
}

/** Until it is, most CP calls wait. */
async function cpIsUp(address: string, count: number): Promise<void> {
  const deadline = Date.now() + engineStartMs / 2;
  while (Date.now() < deadline) {
    const { status, body } = await ask(address, 'GET', `${cp}/members`);
    if (status === 200 && JSON.parse(body).length === count) return;
  }
  throw new Error('the CP members did not find each other');
}
