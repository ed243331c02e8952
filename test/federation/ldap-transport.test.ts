import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FederationError, PasswordConnector } from '../../console/federation/connector.ts';
import { createLdapConnector } from '../../console/federation/ldap/connector.ts';
import type { LdapSettings } from '../../console/federation/providers/schema.ts';
import { freePort, waitFor } from '../helpers/console.ts';
import { type LdapServer, newCertificate, startLdapServer, suffix, whySkipped } from './ldap-server.ts';

const password = 'paula-password-1';
const find = { by: 'template', dn: `uid={username},${suffix}` } as const;
const log = { warn: () => {} };
const people = `
dn: ${suffix}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: uid=paula,${suffix}
objectClass: inetOrgPerson
uid: paula
cn: Paula
sn: Piper
userPassword: ${password}
`;
const group = `
dn: cn=operators,${suffix}
objectClass: groupOfNames
cn: operators
member: uid=paula,${suffix}
`;

describe.skipIf(whySkipped)(`LDAP over TLS at OpenLDAP${whySkipped ?? ''}`, () => {
  let server: LdapServer;
  let otherCa: string;
  beforeAll(async () => {
    server = await startLdapServer(people, group);
    const folder = await mkdtemp(join(tmpdir(), 'console-ldap-ca-'));
    otherCa = await newCertificate(folder);
    await rm(folder, { recursive: true, force: true });
  });
  afterAll(() => server?.stop());

  test.each([
    ['StartTLS', () => ({ url: `ldap://localhost:${server.port}`, startTls: true })],
    ['ldaps', () => ({ url: `ldaps://localhost:${server.securePort}` })],
  ])('%s with the authority of the operator signs in', async (_how, way) => {
    const connector = createLdapConnector({ ...way(), find, ca: server.ca }, { log });
    const asked = await server.asked(async () => {
      expect((await connector.verify('paula', password))?.username).toBe('paula');
    });
    expect(asked).toMatch(/TLS established.*BIND dn="uid=paula/s);
  });

  test.each([
    ['StartTLS, nobody vouches for', (): Partial<LdapSettings> => ({ ...startTls('localhost') })],
    ['StartTLS, another authority vouches for', () => ({ ...startTls('localhost'), ca: otherCa })],
    ['StartTLS, of another name', () => ({ ...startTls('127.0.0.1'), ca: server.ca })],
    ['ldaps, nobody vouches for', () => ({ ...ldaps('localhost') })],
    ['ldaps, another authority vouches for', () => ({ ...ldaps('localhost'), ca: otherCa })],
    ['ldaps, of another name', () => ({ ...ldaps('127.0.0.1'), ca: server.ca })],
  ])('a certificate at %s, is not told a password', async (_what, way) => {
    const connector = createLdapConnector({ url: '', find, ...way() }, { log });
    const asked = await server.asked(async () => {
      expect(await errorOf(connector)).toMatchObject({ status: 503 });
    });
    expect(asked).toContain('ACCEPT');
    expect(asked).not.toContain('uid=paula');
  });

  test('a directory that is gone is 503, and works again when it is back', async () => {
    const first = await startLdapServer(people, group);
    const connector = createLdapConnector({ url: `ldap://127.0.0.1:${first.port}`, find }, { log });
    expect((await connector.verify('paula', password))?.username).toBe('paula');
    await first.stop();
    const error = await errorOf(connector);
    expect(error).toMatchObject({ name: 'FederationError', status: 503 });
    expect(error.message).not.toContain(String(first.port));
    const second = await startLdapServer(people, group, first.port);
    expect((await connector.verify('paula', password))?.username).toBe('paula');
    await second.stop();
  });

  test.each([
    ['a bind that worked', '300c02010261070a010004000400'],
    ['the beginning of one, which the answer to come would complete', '301a02010361070a010004000400'],
  ])('whoever adds %s to the answer to StartTLS gains nothing', async (_what, addition) => {
    const between = createServer((client) => {
      const behind = connectTo(server.port, '127.0.0.1');
      behind.once('data', (answer) => {
        client.write(Buffer.concat([answer, Buffer.from(addition, 'hex')]));
        behind.pipe(client);
      });
      client.pipe(behind);
      for (const socket of [client, behind]) socket.on('error', () => client.destroy());
    }).listen(0, 'localhost');
    await once(between, 'listening');
    const url = `ldap://localhost:${(between.address() as AddressInfo).port}`;
    const connector = createLdapConnector({ url, startTls: true, ca: server.ca, find }, { log });
    const asked = await server.asked(async () => {
      expect(await errorOf(connector)).toMatchObject({ status: 503 });
    });
    between.close();
    expect(asked).toContain('STARTTLS');
    expect(asked).not.toContain('uid=paula');
  });

  const startTls = (host: string) => ({ url: `ldap://${host}:${server.port}`, startTls: true });
  const ldaps = (host: string) => ({ url: `ldaps://${host}:${server.securePort}` });
});

describe('LDAP at a server that is none', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  /** Answers each connection as `talk` says, and keeps what it hears. */
  async function listen(talk: (socket: Socket) => unknown) {
    const received: Buffer[] = [];
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket)).on('error', () => {});
      socket.on('data', (chunk) => received.push(chunk));
      talk(socket);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { port, open, received: () => Buffer.concat(received).toString('latin1') };
  }
  const connect = (port: number, changes: Partial<LdapSettings> = {}, options = {}) =>
    createLdapConnector(
      { url: `ldap://127.0.0.1:${port}`, find, ...changes },
      { log, timeoutMs: 300, ...options },
    );

  test.each<[string, Partial<LdapSettings>]>([
    ['a bind', {}],
    ['StartTLS', { startTls: true }],
  ])('one that never answers %s is 503 when the time is over, and let go', async (_what, changes) => {
    const silent = await listen(() => {});
    expect(await errorOf(connect(silent.port, changes))).toMatchObject({ status: 503 });
    await waitFor(() => silent.open.size === 0, 'the end of the connection');
    if (changes.startTls) expect(silent.received()).not.toContain(password);
  });

  test('one that never ends the handshake of ldaps is 503 too', async () => {
    const silent = await listen(() => {});
    const connector = connect(silent.port, { url: `ldaps://127.0.0.1:${silent.port}` });
    expect(await errorOf(connector)).toMatchObject({ status: 503 });
    await waitFor(() => silent.open.size === 0, 'the end of the connection');
  });

  const yes = Buffer.from('300c02010178070a010004000400', 'hex');
  const no = Buffer.from('300c02010178070a010204000400', 'hex');
  // What a library that reads on would take as the answer to the bind that comes next.
  const bindAnswer = Buffer.from('300c02010261070a010004000400', 'hex');
  test.each([
    ['refuses StartTLS', no],
    ['answers StartTLS with a bind in the same breath', Buffer.concat([yes, bindAnswer])],
    ['answers StartTLS with the beginning of a bind', Buffer.concat([yes, bindAnswer.subarray(0, 8)])],
    ['answers StartTLS with another operation', Buffer.from('300c02010161070a010004000400', 'hex')],
    ['answers StartTLS with letters', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['answers StartTLS with a length beyond all measure', Buffer.from('3084ffffffff', 'hex')],
    ['answers StartTLS and hangs', yes],
  ])('one that %s hears no password', async (_what, answer) => {
    const liar = await listen((socket) => socket.once('data', () => socket.write(answer)));
    expect(await errorOf(connect(liar.port, { startTls: true }))).toMatchObject({ status: 503 });
    expect(liar.received()).not.toContain(password);
    await waitFor(() => liar.open.size === 0, 'the end of the connection');
  });

  test.each([
    ['closes at once', (socket: Socket) => socket.destroy()],
    ['says what is not LDAP', (socket: Socket) => socket.write('220 mail ready\r\n')],
    ['says more than anybody asked for', (socket: Socket) => void flood(socket)],
    ['says small things without end', (socket: Socket) => void flood(socket, tinyMessages)],
    ['sends people elsewhere', (socket: Socket) => socket.once('data', () => socket.write(referral))],
  ])('one that %s is 503', async (_what, talk) => {
    const odd = await listen(talk);
    const error = await errorOf(connect(odd.port, {}, { timeoutMs: 2_000 }));
    expect(error).toMatchObject({ name: 'FederationError', status: 503 });
    expect(error.message).not.toContain(String(odd.port));
    await waitFor(() => odd.open.size === 0, 'the end of the connection');
  });

  test('a port where nobody listens is 503', async () => {
    expect(await errorOf(connect(await freePort()))).toMatchObject({ status: 503 });
  });

  test('more sign-ins than there are sessions for are told so at once, and closing ends the others', async () => {
    const silent = await listen(() => {});
    const connector = connect(silent.port, {}, { maxSessions: 2, timeoutMs: 20_000 });
    const waiting = [errorOf(connector), errorOf(connector)];
    await waitFor(() => silent.open.size === 2, 'two connections');
    expect(await errorOf(connector)).toMatchObject({ status: 503 });
    expect(silent.open.size).toBe(2);
    await waitFor(() => silent.received().length > 0, 'a bind');
    await connector.close();
    for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ status: 503 });
    expect(await errorOf(connector)).toMatchObject({ status: 503 });
  });
});

/** A bind answer, `referral` (10) to another server. */
const referral = Buffer.concat([
  Buffer.from('302a02010261250a010a04000400a31c041a', 'hex'),
  Buffer.from('ldap://127.0.0.1:9/dc=else'),
]);
/** Answers to a message that was never sent. */
const tinyMessages = Buffer.from('30050201636100'.repeat(9_000), 'hex');

async function flood(
  socket: Socket,
  part = Buffer.concat([Buffer.from('3083ffffff', 'hex'), Buffer.alloc(65_536)]),
) {
  for (let sent = 0; sent < 64 && !socket.destroyed; sent += 1) {
    if (!socket.write(part))
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {});
  }
}

async function errorOf(connector: PasswordConnector): Promise<FederationError> {
  return await connector.verify('paula', password).then(
    () => {
      throw new Error('nothing was refused');
    },
    (error: FederationError) => error,
  );
}
