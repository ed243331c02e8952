/** Members that an administrator drains at the console: proxies in processes of their own give them no calls either. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi } from '../helpers/management.ts';
import { until } from '../helpers/store.ts';
import { type EmbeddedMember, startEmbeddedMember } from '../peers/support/embedded-member.ts';
import { lastCallsAtDrained } from './drained-time.ts';
import { addProxyClient, call, type RunningProxy, startProxy } from './support.ts';

/** In turn they would meet both members. */
const inARow = 12;

let members: readonly [EmbeddedMember, EmbeddedMember];
let console: RunningConsole;
let token: string;
const addressOf = ({ address }: EmbeddedMember) => `http://${address.replace(/^http:\/\//, '')}`;
const hostOf = (member: EmbeddedMember) => new URL(addressOf(member)).host;

beforeAll(async () => {
  members = [
    await startEmbeddedMember(['DATA', 'CLUSTER_READ']),
    await startEmbeddedMember(['DATA', 'CLUSTER_READ']),
  ];
  // They are two clusters: each has its own answer.
  for (const [n, member] of members.entries()) {
    const put = await fetch(`${addressOf(member)}/svc/rest/maps/who/key`, {
      method: 'POST',
      body: `member ${n}`,
    });
    expect(put.status).toBe(200);
  }
  console = await startConsole({ env: { CONSOLE_MEMBERS: members.map(addressOf).join() } });
  token = await machineToken(console);
});
afterAll(async () => {
  await console?.stop();
  for (const member of members ?? []) await member.stop();
});

describe.each(['1', '2'])('by a proxy of %s processes', (workers) => {
  let proxy: RunningProxy;
  const start = async () =>
    startProxy({
      ...{
        console,
        client: { id: `proxy-${workers}`, secret: clientSecret },
        members: members.map(addressOf),
      },
      env: { CONSOLE_WORKERS: workers },
    });
  let clientSecret = '';
  beforeAll(async () => {
    clientSecret = (await addProxyClient(console, `proxy-${workers}`)).secret;
    proxy = await start();
  });
  afterAll(() => proxy?.stop());

  async function answeredBy(): Promise<ReadonlySet<string>> {
    const answers = new Set<string>();
    for (let n = 0; n < inARow; n++) {
      const answer = await call(proxy, token, '/svc/rest/maps/who/key');
      answers.add(`${answer.status} ${await answer.text()}`);
    }
    return answers;
  }
  const areBy = async (...expected: readonly string[]) =>
    [...(await answeredBy())].sort().join() === expected.map((who) => `200 ${who}`).join();

  test('no call goes to a drained member a second later but one that names it, after a restart of the proxy too, until it is undrained', async () => {
    const host = hostOf(members[0]);
    await until(() => areBy('member 0', 'member 1'), 'calls at both', 20_000);
    const change = (way: string) => callApi(console, 'POST', `/members/${host}/${way}`);
    const lasts = await lastCallsAtDrained([proxy], token, {
      ...{ path: '/svc/rest/maps/who/key', answer: 'member 0' },
      drain: () => change('drain'),
      undrain: () => change('undrain'),
    });
    expect(lasts[0]).toBeLessThan(1_000);
    expect(await answeredBy()).toEqual(new Set(['200 member 1']));
    const named = await call(proxy, token, `/members/${host}/svc/rest/maps/who/key`);
    expect([named.status, await named.text()]).toEqual([200, 'member 0']);

    await proxy.stop();
    proxy = await start();
    expect(await answeredBy()).toEqual(new Set(['200 member 1']));

    await change('undrain');
    await until(() => areBy('member 0', 'member 1'), 'calls at both again', 20_000);
  });
});
