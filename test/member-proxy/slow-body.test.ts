/** Calls whose bodies take their time: what let them in may have ended before they are whole. */
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createRoleBook } from '../../member-proxy/authorization/role-permissions.ts';
import { startProxy, startRecorder, type TestProxy, until } from './servers.ts';
import { signToken } from './tokens.ts';

let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let opens: readonly string[] = [];
let emitRoles = () => {};
let calls = 0;

beforeAll(async () => {
  member = await startRecorder();
  proxy = await startProxy({
    members: [member.address],
    roles: createRoleBook({
      customPermissions: (role) => (role === 'Writer' ? opens : undefined),
      onChange(listener) {
        const others = emitRoles;
        emitRoles = () => {
          others();
          listener();
        };
        return () => {};
      },
    }),
    requestIdOf: () => `request-${++calls}`,
  });
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});
afterEach(() => {
  member.seen.length = 0;
});

const map = { path: '/svc/rest/maps/m/k', body: 'value' };
const management = { path: '/svc/rest/management/cluster/changeState', body: '&&frozen' };
const nothing = () => {};
const revoke = () => void proxy.revoked.add('slow');
function open(...permissions: string[]): void {
  opens = permissions;
  emitRoles();
}
const close = () => open('svc:health:read');

test.each([
  ['nothing happens', map, nothing, 200],
  ['nothing happens', management, nothing, 200],
  ['the token is revoked', map, revoke, 401],
  ['the token is revoked', management, revoke, 401],
  ['the role opens it no longer', map, close, 403],
  ['the role opens it no longer', management, close, 403],
])('when %s while the body of %j arrives (S34)', async (_what, { path, body }, act, status) => {
  open('svc:data:write', 'svc:cluster:write');
  proxy.revoked.clear();
  const token = await signToken(proxy.key, { claims: { roles: ['Writer'], jti: 'slow' } });
  // A token that is remembered is checked before the body is looked at.
  expect(
    (await fetch(proxy.address + path, { headers: { authorization: `Bearer ${token}` } })).status,
  ).not.toBe(401);
  const before = calls;
  const { hostname, port } = new URL(proxy.address);
  const socket = connect(Number(port), hostname);
  let reply = '';
  socket.on('data', (chunk) => {
    reply += chunk;
  });
  socket.on('error', () => undefined);
  try {
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: p\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await until(() => calls > before, 'the call');
    act();
    socket.write(body);
    await until(() => reply.includes('\r\n\r\n'), 'the reply');
    expect(reply).toContain(`HTTP/1.1 ${status} `);
    expect(member.seen).toHaveLength(status === 200 ? 1 : 0);
  } finally {
    socket.destroy();
  }
});
