import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { detectPrefix, type MemberPrefix } from '../../member-proxy/prefix.ts';
import {
  type Answer,
  sendRaw,
  startProxy,
  startRawMember,
  startRecorder,
  until,
  unusedAddress,
} from './servers.ts';
import { tokenFor } from './tokens.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test.each<{ name: string; answers: Record<string, number>; expected: MemberPrefix }>([
  { name: 'one that is ready under svc', answers: { svc: 200, hazelcast: 404 }, expected: 'svc' },
  { name: 'one that is ready under hazelcast', answers: { svc: 404, hazelcast: 200 }, expected: 'hazelcast' },
  { name: 'one that is not ready yet', answers: { svc: 404, hazelcast: 503 }, expected: 'hazelcast' },
  { name: 'one that answers both', answers: { svc: 200, hazelcast: 200 }, expected: 'svc' },
  { name: 'one that refuses the other', answers: { svc: 403, hazelcast: 200 }, expected: 'hazelcast' },
])('a member decides: $name', async ({ answers, expected }) => {
  const member = await startMember((req, res) => {
    res.statusCode = answers[req.url!.split('/')[1]!] ?? 404;
    res.end();
  });
  const { found, detection } = detect([member.address]);
  await until(() => found.length > 0, 'detection');
  expect(found).toEqual([{ prefix: expected, member: member.address }]);
  expect(detection.current()).toBe(expected);
  expect(member.seen.at(-1)?.url).toBe(`/${expected}/health/ready`);
});

test('a member that hangs up on paths it does not know, as the real engine does, is asked under the other prefix', async () => {
  const member = await startRawMember((socket) => {
    socket.on('data', (bytes) => {
      if (!bytes.toString().startsWith('GET /hazelcast/')) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  });
  cleanups.push(member.close);
  const { found, detection } = detect([await unusedAddress(), member.address]);
  await until(() => found.length > 0, 'detection');
  expect(detection.current()).toBe('hazelcast');
  await until(() => member.closed() === member.opened(), 'no connection is left open');
});

test.each<{ name: string; answer: Answer }>([
  { name: 'refuses both', answer: (_req, res) => res.writeHead(403).end() },
  { name: 'never answers', answer: () => undefined },
])('a member that $name decides nothing; the next one does', async ({ answer }) => {
  const silent = await startMember(answer);
  const other = await startMember((req, res) =>
    res.writeHead(req.url!.startsWith('/hazelcast') ? 200 : 404).end(),
  );
  const { found, detection } = detect([silent.address, other.address]);
  await until(() => found.length > 0, 'detection');
  expect(silent.seen.map(({ url }) => url)).toEqual(['/svc/health/ready', '/hazelcast/health/ready']);
  expect(detection.current()).toBe('hazelcast');
});

test('until a member answers svc is assumed, and the proxy follows what is found later', async () => {
  const address = await unusedAddress();
  const { found, detection } = detect([address]);
  const proxy = await startProxy({ members: [address], memberPrefix: detection.current });
  cleanups.push(proxy.close);
  expect(detection.current()).toBe('svc');

  const urls: string[] = [];
  const server = createServer((req, res) => {
    urls.push(req.url!);
    res.writeHead(req.url!.startsWith('/hazelcast/') ? 200 : 404).end();
  });
  await new Promise<void>((done) => server.listen(Number(new URL(address).port), '127.0.0.1', done));
  cleanups.push(() => stop(server));
  await until(() => found.length > 0, 'detection');
  const token = await tokenFor(proxy.key, 'Admin');
  const reply = await sendRaw(
    proxy.address,
    `GET /svc/rest/cluster HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  expect(reply.status).toBe(200);
  expect(urls.at(-1)).toBe('/hazelcast/rest/cluster');
});

test('a closed search asks no more', async () => {
  const member = await startMember((_req, res) => res.writeHead(404).end());
  const { detection, found } = detect([member.address]);
  await until(() => member.seen.length >= 4, 'a second round');
  detection.close();
  const asked = member.seen.length;
  const other = await startMember((_req, res) => res.writeHead(404).end());
  detect([other.address]);
  await until(() => other.seen.length >= 6, 'three rounds of another search');
  expect(member.seen.length - asked).toBeLessThanOrEqual(1); // the one that was under way
  expect(found).toEqual([]);
});

async function startMember(answer: Answer) {
  const member = await startRecorder(answer);
  cleanups.push(member.close);
  return member;
}

function detect(members: readonly string[]) {
  const found: object[] = [];
  const detection = detectPrefix({
    members,
    pauseMs: 20,
    replyMs: 200,
    onDetected: (which) => found.push(which),
  });
  cleanups.push(detection.close);
  return { detection, found };
}

function stop(server: ReturnType<typeof createServer>): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}
