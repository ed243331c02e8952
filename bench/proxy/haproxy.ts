/** HAProxy in front of the member: with its own check of tokens, with none, or as a member that costs next to nothing. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/helpers/ports.ts';
import { audience, issuer } from '../peers/common.ts';
import type { ServerProcess, Servers } from '../servers.ts';
import type { TokenKey } from './tokens.ts';

const program = '/usr/sbin/haproxy';

/** Why there is none. */
export const haproxyIsMissing = existsSync(program)
  ? undefined
  : 'HAProxy is left out: apt-get install haproxy';

export interface HaproxyOptions {
  readonly name: string;
  /** Where its files go. */
  readonly folder: string;
}

/** @param key  undefined: nothing is checked */
export async function startHaproxy(
  servers: Servers,
  { name, folder }: HaproxyOptions,
  member: string,
  key?: TokenKey,
): Promise<ServerProcess> {
  const keyFile = join(folder, 'haproxy-key.pem');
  if (key) writeFileSync(keyFile, key.publicPem);
  return start(servers, name, folder, (port) => [
    'frontend callers',
    `  bind 127.0.0.1:${port}`,
    ...(key ? check(keyFile) : []),
    '  default_backend members',
    'backend members',
    '  http-reuse always',
    `  server member ${new URL(member).host}`,
  ]);
}

/** Answers every call with a 100-byte value, in a fraction of the time that a member takes. */
export function startFixedMember(
  servers: Servers,
  { name, folder }: HaproxyOptions,
  value: string,
): Promise<ServerProcess> {
  return start(servers, name, folder, (port) => [
    'frontend callers',
    `  bind 127.0.0.1:${port}`,
    `  http-request return status 200 content-type text/plain string ${value}`,
  ]);
}

async function start(
  servers: Servers,
  name: string,
  folder: string,
  rest: (port: number) => readonly string[],
): Promise<ServerProcess> {
  const port = await freePort();
  const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.cfg`);
  writeFileSync(file, [...base, ...rest(port), ''].join('\n'));
  return servers.start({ name, command: program, args: ['-db', '-f', file], ready: { port } });
}

const base = [
  'global',
  '  nbthread 1',
  '  maxconn 2000',
  'defaults',
  '  mode http',
  '  timeout connect 2s',
  '  timeout client 65s',
  '  timeout server 30s',
];

/** Algorithm, issuer, audience, expiry and signature, as its own documentation has it. */
function check(keyFile: string): string[] {
  return [
    '  http-request set-var(txn.bearer) http_auth_bearer',
    "  http-request set-var(txn.alg) var(txn.bearer),jwt_header_query('$.alg')",
    "  http-request set-var(txn.iss) var(txn.bearer),jwt_payload_query('$.iss')",
    "  http-request set-var(txn.aud) var(txn.bearer),jwt_payload_query('$.aud')",
    "  http-request set-var(txn.exp) var(txn.bearer),jwt_payload_query('$.exp','int')",
    '  http-request set-var(txn.now) date()',
    '  http-request deny deny_status 401 unless { var(txn.alg) -m str RS256 }',
    `  http-request deny deny_status 401 unless { var(txn.iss) -m str ${issuer} }`,
    `  http-request deny deny_status 401 unless { var(txn.aud) -m str ${audience} }`,
    '  http-request deny deny_status 401 if { var(txn.exp),sub(txn.now) -m int lt 0 }',
    `  http-request deny deny_status 401 unless { var(txn.bearer),jwt_verify(txn.alg,"${keyFile}") -m int 1 }`,
    '  http-request del-header authorization',
  ];
}
