import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { memberConfig } from '../../member/config/member-config.ts';
import { startMember } from '../../member/member.ts';
import { call, connectRaw, empty } from './support.ts';

const anyPort = { port: 0, autoIncrement: false };

function advanced(restPort: object, groups: Record<string, { enabled: boolean }> = {}) {
  return memberConfig({
    // Has no say once the advanced network is on, as in the real engine.
    network: { restApi: { enabled: false, endpointGroups: { data: { enabled: true } } } },
    advancedNetwork: {
      enabled: true,
      memberServerSocketEndpointConfig: { port: anyPort },
      restServerSocketEndpointConfig: { port: restPort, endpointGroups: groups },
    },
  });
}

test('a REST listener of the advanced network has a port of its own and switches REST on', async () => {
  const config = advanced(anyPort, { CLUSTER_WRITE: { enabled: true }, HEALTH_CHECK: { enabled: false } });
  const member = await startMember({ config, host: '127.0.0.1' });
  onTestFinished(() => member.close());

  const cluster = await call(`${member.address}/svc/rest/cluster`, 'GET');
  const { members, ...counts } = JSON.parse(cluster.body);
  expect(counts).toEqual({ connectionCount: 0, allConnectionCount: 1 }); // no client has come to the member's port
  const [{ address }] = members;
  const memberPort = Number(address.split(':')[1]);
  expect(memberPort).not.toBe(member.port);
  expect(await call(`${member.address}/svc/health/ready`, 'GET')).toMatchObject(empty(403));
  expect(await call(`${member.address}/svc/rest/maps/m/k`, 'GET')).toMatchObject(empty(403));

  const raw = await connectRaw(memberPort);
  raw.send('GET /svc/rest/cluster HTTP/1.1\r\nHost: m\r\n\r\n');
  expect(await raw.closed()).toBe('');

  await member.close();
  await expect(connection(memberPort)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a REST listener passes over ports that are taken, when it may', async () => {
  const taken = await takePort();
  await expect(
    startMember({ config: advanced({ port: taken, autoIncrement: false }), host: '127.0.0.1' }),
  ).rejects.toThrow(`port ${taken} on 127.0.0.1 is already in use`);
  const config = advanced({ port: taken, autoIncrement: true });
  const member = await startMember({ config, host: '127.0.0.1' });
  onTestFinished(() => member.close());
  expect(member.port).toBeGreaterThan(taken);
});

test('an advanced network without a REST listener has REST off', async () => {
  const config = memberConfig({
    network: { restApi: { enabled: true } },
    advancedNetwork: { enabled: true, memberServerSocketEndpointConfig: { port: anyPort } },
  });
  const member = await startMember({ config, host: '127.0.0.1' });
  onTestFinished(() => member.close());
  expect(await call(`${member.address}/svc/rest/cluster`, 'GET')).toMatchObject(empty(403));
});

function connection(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

async function takePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as import('node:net').AddressInfo).port;
}
