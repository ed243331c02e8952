/** Polls that still wait when the process has to end: they are answered, and no item is lost by it (S81, S94). */
import { expect, onTestFinished, test } from 'vitest';
import { builtInConfig } from '../../member/config/built-in-config.ts';
import { startMember } from '../../member/member.ts';
import { startProxy, until } from './servers.ts';
import { tokenFor } from './tokens.ts';

/** Above 16 some wait in the proxy for what the others bring. */
const callers = 20;

test.each([true, false])(
  'each is answered 204 before its time, and an item of after that is in its queue (a member that lets go: %s)',
  async (canWithdraw) => {
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const config = builtInConfig({ restEnabled: true, groups: ['DATA', 'CLUSTER_READ', 'HEALTH_CHECK'] });
    const member = await startMember({ config, host: '127.0.0.1', port: 0, log });
    const proxy = await startProxy({ members: [member.address], canWithdraw });
    onTestFinished(async () => {
      await proxy.close();
      await member.close();
    });
    const headers = { authorization: `Bearer ${await tokenFor(proxy.key, 'Admin')}` };
    const queue = (rest: string) => `${proxy.address}/svc/rest/queues/${rest}`;
    const asked = Array.from({ length: callers }, () => fetch(queue('last/50'), { headers }));
    await until(() => proxy.waitingPolls() === callers, 'all of them to wait');

    proxy.endWaits();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(callers).fill(204));
    expect(proxy.waitingPolls()).toBe(0);
    const offered = await fetch(queue('last'), { method: 'POST', headers, body: 'item' });
    expect(offered.status).toBe(200);
    expect(await (await fetch(queue('last/20'), { headers })).text()).toBe('item');
  },
);
