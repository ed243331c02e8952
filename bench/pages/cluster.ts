/** Three members behind a console, and callers of it: what its pages tell of while they are measured. */

import { mkdtemp, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../test/helpers/ports.ts';
import type { Servers } from '../servers.ts';

const members = 3;
const everyMs = 20;

/** @returns their addresses, as `CONSOLE_MEMBERS` takes them */
export async function startMembers(servers: Servers): Promise<string> {
  const config = join(await mkdtemp(join(tmpdir(), 'bench-member-')), 'member.json');
  await writeFile(config, JSON.stringify({ svc: { network: { 'rest-api': allGroups } } }));
  const urls: string[] = [];
  for (let i = 0; i < members; i++) {
    const { url } = await servers.start({
      name: `member ${i}`,
      args: ['dist/member/main.js'],
      ready: /member ready at (\S+):/,
      env: { MEMBER_PORT: String(await freePort()), MEMBER_CONFIG: config },
    });
    urls.push(url);
  }
  return urls.join(',');
}

const allGroups = {
  enabled: true,
  'endpoint-groups': Object.fromEntries(
    ['CLUSTER_WRITE', 'PERSISTENCE', 'WAN', 'DATA', 'CP'].map((name) => [name, { enabled: true }]),
  ),
};

/**
 * Reads an entry of a map so many times a second, evenly, until it is stopped.
 *
 * @param token  asked for each call: it may be replaced meanwhile
 * @returns what stops it, and says how many calls a second were answered
 */
export function callSteadily(url: string, token: () => string, perSecond: number): () => number {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const began = performance.now();
  let [sent, answered] = [0, 0];
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond) - sent;
    for (let i = 0; i < due; i++) {
      sent++;
      const headers = { authorization: `Bearer ${token()}` };
      const asked = request(`${url}/svc/rest/maps/orders/${sent % 100}`, { agent, headers }, (reply) => {
        answered++;
        reply.resume();
      });
      // What is left out is seen in the figure.
      asked.on('error', () => {}).end();
    }
  }, everyMs);
  return () => {
    clearInterval(timer);
    agent.destroy();
    return answered / ((performance.now() - began) / 1000);
  };
}
