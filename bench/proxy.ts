/** A 100-byte map value, read from the member directly, through the proxy, and through the proxy without its token check. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type Benchmark, cell, measure, ratio, sampleColumns, samplesTable } from './harness.ts';
import { httpRequest, load } from './load.ts';
import { audience } from './peers/common.ts';
import { createServers, peer, type ServerProcess, type Servers } from './servers.ts';

const connectionCounts = [1, 16, 64] as const;
const secondsPerCell = 1;
const path = '/svc/rest/maps/bench/key';
const value = 'v'.repeat(100);

export const benchmark: Benchmark = {
  name: 'proxy',
  async run({ rounds, nodeBinary }) {
    await using servers = createServers({ nodeBinary });
    const { token, publicJwk } = await makeToken();
    const member = await startMember(servers);
    const startProxy = (name: string, env: Record<string, string>) =>
      servers.start({
        name,
        args: peer('member-proxy.ts'),
        env: { MEMBER: member.url, ...env },
        ready: /ready at (\S+)/,
      });
    const unchecked = await startProxy('proxy, check off', {});
    const again = await startProxy('proxy, check off, again', {});
    const checked = await startProxy('proxy, check on', { PUBLIC_JWK: publicJwk });
    await storeValue(member);
    await expectRefusal(checked);

    const cells = connectionCounts.flatMap((connections) =>
      [member, unchecked, again, checked].map((server) => {
        const request = httpRequest('GET', path, { authorization: `Bearer ${token}` });
        return cell(server, [server.name, `${connections}`], () =>
          load({ url: server.url, request, connections, seconds: secondsPerCell }),
        );
      }),
    );
    const samples = await measure(cells, { rounds });
    const ratios = connectionCounts.flatMap((connections, i) => {
      const [direct, off, again, on] = cells.slice(i * 4, i * 4 + 4);
      const at = `at ${connections}`;
      const goal = connections === 64 ? { atLeast: 0.85 } : {};
      return [
        ratio(`check on / check off, by processor time, ${at}`, samples, {
          of: on!,
          to: off!,
          figure: 'cpuRate',
          ...goal,
        }),
        ratio(`check off, again / check off, by processor time, ${at}`, samples, {
          of: again!,
          to: off!,
          figure: 'cpuRate',
        }),
        ratio(`check on / check off, by rate, ${at}`, samples, {
          of: on!,
          to: off!,
          figure: 'rate',
          ...goal,
        }),
        ratio(`check on / member directly, by rate, ${at}`, samples, {
          of: on!,
          to: direct!,
          figure: 'rate',
        }),
      ];
    });
    return {
      title: 'Proxy (GET of a 100-byte map value)',
      columns: ['server', 'connections', ...sampleColumns],
      rows: samplesTable(cells, samples),
      ratios,
      notes: [
        'Two processes of the same proxy without its check show how far two equal processes lie apart on this machine.',
        'Processor time is that of the server named; behind a proxy the member takes its own on top. Load generator, proxy and member share the machine, which is why rates fall faster than processor time rises.',
      ],
    };
  },
};

async function startMember(servers: Servers): Promise<ServerProcess> {
  const dir = mkdtempSync(join(tmpdir(), 'proxy-bench-'));
  const file = join(dir, 'member.yaml');
  const groups = 'endpoint-groups:\n        DATA:\n          enabled: true\n';
  writeFileSync(file, `hazelcast:\n  network:\n    rest-api:\n      enabled: true\n      ${groups}`);
  try {
    return await servers.start({
      name: 'member',
      args: ['dist/member/main.js'],
      env: { MEMBER_CONFIG: file, MEMBER_PORT: '0' },
      ready: /ready at (http:\/\/[\d.]+:\d+)/,
    });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function storeValue(member: ServerProcess): Promise<void> {
  const reply = await fetch(member.url + path, { method: 'POST', body: value });
  if (!reply.ok) {
    throw new Error(`the member does not take the value: ${reply.status}`);
  }
}

/** A check that lets anything through would be fast, too. */
async function expectRefusal(proxy: ServerProcess): Promise<void> {
  const { token } = await makeToken();
  const reply = await fetch(proxy.url + path, { headers: { authorization: `Bearer ${token}` } });
  if (reply.status !== 401) {
    throw new Error(`the proxy answers a forged token with ${reply.status}`);
  }
}

/** A token of the size that the console issues. */
async function makeToken() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const roles = ['Admin'];
  const token = await new SignJWT({
    client_id: 'application-client',
    clientId: 'application-client',
    scope: 'openid email profile',
    roles,
    realm_access: { roles },
    preferred_username: 'application-client',
    email: 'application-client',
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'bench' })
    .setIssuer('http://localhost')
    .setSubject('application-client')
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('1 h')
    .setJti('bench')
    .sign(privateKey);
  return { token, publicJwk: JSON.stringify(await exportJWK(publicKey)) };
}
