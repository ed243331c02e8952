/** `idp test`: each step of a dry sign-in, at providers that nobody here wrote. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  toolDone as processDone,
  runTool as runProcess,
  storedIn,
  temporaryDirectory,
} from '../commands/support.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { emptyTree, type LdapServer, service, startLdapServer, suffix, whySkipped } from './ldap-server.ts';
import { type RunningProvider, startProvider } from './support.ts';

// Most tests start several processes, one after the other.
vi.setConfig({ testTimeout: 180_000 });

interface Step {
  readonly step: string;
  readonly ok: boolean;
  readonly said: string;
  readonly advice?: string;
}

let folder: string;
let dataDir: string;
let console: RunningConsole;
const env = { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' };
beforeAll(async () => {
  console = await startConsole({ env });
  dataDir = console.dataDir;
});
afterAll(() => console?.stop());
beforeEach(() => {
  folder = temporaryDirectory();
});
afterEach(() => runTool(['idp', 'remove', '--yes', 'it'], { dataDir }));

/** Adds the provider as `it`, tests it, and shows that this changed nothing. */
async function dryRun(add: readonly string[], secret = '', more: readonly string[] = [], stdin = '') {
  await toolDone(['idp', 'add', 'it', ...add], { dataDir, env, stdin: secret });
  const before = await storedIn(dataDir);
  const outcome = await runTool(['idp', 'test', 'it', ...more, '--json'], { dataDir, env, stdin });
  expect(await storedIn(dataDir)).toEqual(before);
  expect(outcome.stdout + outcome.stderr).not.toMatch(/marmot/);
  const report = outcome.json<{ ok: boolean; steps: Step[] }>();
  expect(outcome.code).toBe(report.ok ? 0 : 1);
  const failed = report.steps.filter(({ ok }) => !ok);
  for (const { advice } of failed) expect(advice).toMatch(/\w/);
  return { ...report, failed, step: (name: string) => report.steps.find(({ step }) => step === name) };
}

describe('at an OpenID provider', () => {
  const secret = 'marmot-0123456789-abcdefghij-klmnop';
  const scope = 'openid email profile groups';
  let provider: RunningProvider;
  beforeAll(async () => {
    const callbacks = [console.url, 'http://localhost:8080'].map((url) => `${url}/login/callback/it`);
    const client = { redirect_uris: callbacks, scope };
    provider = await startProvider({
      clients: [
        { ...client, client_id: 'basic', client_secret: secret },
        { ...client, client_id: 'public', token_endpoint_auth_method: 'none' },
        {
          ...client,
          client_id: 'elsewhere',
          client_secret: secret,
          redirect_uris: ['https://other.example/cb'],
        },
      ],
    });
  });
  afterAll(() => provider?.close());
  const oidc = (clientId: string, ...more: string[]) => [
    ...[
      '--kind',
      'oidc',
      '--issuer',
      provider.issuer,
      '--client-id',
      clientId,
      '--default-role',
      'Viewer',
      ...more,
    ],
  ];
  const bySecret = ['--client-secret-file', '-'];

  test('every step goes well', async () => {
    const report = await dryRun(oidc('basic', ...bySecret), secret);
    expect(report.failed).toEqual([]);
    const names = ['discovery', 'issuer', 'endpoints', 'key set', 'authorization request'];
    for (const name of [...names, 'authorization endpoint', 'token endpoint']) {
      expect(report.step(name), name).toMatchObject({ ok: true });
    }
    expect(report.step('token endpoint')?.said).toContain('client_secret_basic');
  });

  test('every step goes well without a console too, and is told in lines', async () => {
    const own = { dataDir: join(folder, 'data'), env };
    await processDone(['idp', 'add', 'it', ...oidc('basic', ...bySecret)], { ...own, stdin: secret });
    const shown = await runProcess(['idp', 'test', 'it'], own);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/^ok +discovery/)]);
  });

  const rows: readonly (readonly [string, () => readonly string[], string, string, RegExp])[] = [
    ['a wrong secret', () => oidc('basic', ...bySecret), 'marmot-other', 'token endpoint', /--client-id/],
    [
      'no secret where one is wanted',
      () => oidc('basic', '--client-auth', 'none'),
      '',
      'token endpoint',
      /client/,
    ],
    [
      'a callback that is not registered',
      () => oidc('elsewhere', ...bySecret),
      secret,
      'authorization endpoint',
      /login\/callback\/it/,
    ],
    ['an unknown client', () => oidc('nobody', ...bySecret), secret, 'authorization endpoint', /--client-id/],
    [
      'a scope that is not offered',
      () => oidc('public', '--client-auth', 'none', '--scope', 'offline'),
      '',
      'scopes_supported',
      /--scope/,
    ],
    [
      'another algorithm',
      () => oidc('public', '--client-auth', 'none', '--id-token-alg', 'ES256'),
      '',
      'key set',
      /--id-token-alg/,
    ],
    [
      'an issuer with a slash too much (S44)',
      () =>
        oidc('public', '--client-auth', 'none').map((word) => (word === provider.issuer ? `${word}/` : word)),
      '',
      'issuer',
      /slash/,
    ],
    [
      'an address at which nobody is',
      () =>
        oidc('public', '--client-auth', 'none').map((word) =>
          word === provider.issuer ? 'http://127.0.0.1:9' : word,
        ),
      '',
      'discovery',
      /--issuer/,
    ],
  ];
  test.each(rows)('%s is told with what to change', async (_what, add, given, step, advice) => {
    const report = await dryRun(add(), given);
    expect(report.ok).toBe(false);
    expect(report.step(step)).toMatchObject({ ok: false, advice: expect.stringMatching(advice) });
  });

  test('nobody signs in by a flag there', async () => {
    await toolDone(['idp', 'add', 'it', ...oidc('public', '--client-auth', 'none')], { dataDir, env });
    const outcome = await runTool(['idp', 'test', 'it', '--username', 'ada', '--password-file', '-'], {
      dataDir,
      env,
    });
    expect([outcome.code, outcome.stderr]).toEqual([2, expect.stringContaining('ldap')]);
  });
});

const people = `${emptyTree}
dn: uid=paula,ou=people,${suffix}
objectClass: inetOrgPerson
uid: paula
cn: Paula
sn: Piper
displayName: Paula Piper
mail: paula@example.org
userPassword: marmot-of-paula-1
`;
const groups = `
dn: cn=ops,ou=groups,${suffix}
objectClass: groupOfNames
cn: ops
description: on call
member: uid=paula,ou=people,${suffix}

dn: cn=readers,ou=groups,${suffix}
objectClass: groupOfNames
cn: readers
member: uid=paula,ou=people,${suffix}
`;

describe.skipIf(whySkipped)(`at a directory${whySkipped ?? ''}`, () => {
  let server: LdapServer;
  beforeAll(async () => {
    server = await startLdapServer(people, groups);
  });
  afterAll(() => server?.stop());

  const rule = ['--role-rule', `memberOf=cn=ops,ou=groups,${suffix} -> Admin`];
  const ldap = (url: string, changed: Record<string, string> = {}, ...more: string[]) => {
    const flags = {
      '--kind': 'ldap',
      '--ldap-url': url,
      '--bind-dn': service.dn,
      '--bind-password-file': '-',
      '--base-dn': `ou=people,${suffix}`,
      ...changed,
    };
    return [...Object.entries(flags).flat(), ...rule, ...more];
  };
  const plain = () => `ldap://127.0.0.1:${server.port}`;
  const paula = ['--username', 'paula', '--password-file', '-'];
  const caFile = () => {
    const file = join(folder, 'ca.pem');
    writeFileSync(file, server.ca);
    return file;
  };

  test('a whole sign-in shows the attributes and the roles that rules give', async () => {
    const more = ['--group-base-dn', `ou=groups,${suffix}`, '--role-rule', 'groups=readers -> Viewer'];
    const report = await dryRun(ldap(plain(), {}, ...more), service.password, paula, 'marmot-of-paula-1');
    expect(report.failed).toEqual([]);
    expect(report.step('bind')?.said).toBe(service.dn);
    expect(report.step('sign-in')?.said).toMatch(
      /user name paula, e-mail paula@example.org, name Paula Piper/,
    );
    expect(report.step('attributes')?.said).toMatch(/memberOf: cn=ops.*groups: ops \| readers/);
    expect(report.step('roles')?.said).toBe('Admin, Viewer');
  });

  test('a group filter leaves out groups that it does not fit', async () => {
    const more = ['--group-base-dn', `ou=groups,${suffix}`, '--group-filter', '(description=on call)'];
    const report = await dryRun(ldap(plain(), {}, ...more), service.password, paula, 'marmot-of-paula-1');
    expect(report.step('attributes')?.said).toMatch(/groups: ops$/);
  });

  test.each([
    ['StartTLS', () => `ldap://localhost:${server.port}`, ['--start-tls']],
    ['TLS', () => `ldaps://localhost:${server.securePort}`, []],
  ])('by %s, with the authority of its certificate', async (_what, url, more) => {
    const trusted = await dryRun(ldap(url(), {}, ...more, '--ca-file', caFile()), service.password);
    expect(trusted.failed).toEqual([]);
    expect(trusted.step('connection')?.said).toContain('encrypted');
    await toolDone(['idp', 'remove', '--yes', 'it'], { dataDir, env });
    const unknown = await dryRun(ldap(url(), {}, ...more), service.password);
    expect(unknown.steps).toEqual([
      {
        step: 'connection',
        ok: false,
        said: expect.any(String),
        advice: expect.stringContaining('--ca-file'),
      },
    ]);
  });

  const rows: readonly (readonly [string, Record<string, string>, string, RegExp])[] = [
    ['a service account that is none', { '--bind-dn': `cn=nobody,${suffix}` }, 'bind', /--bind-dn/],
    ['a base that is not there', { '--base-dn': `ou=nowhere,${suffix}` }, 'base DN', /--base-dn/],
    ['a filter that finds nobody', { '--user-filter': '(sn={username})' }, 'sign-in', /--user-filter/],
    ['a rule that nobody meets', { '--role-rule': 'employeeType=none -> Viewer' }, 'roles', /--role-rule/],
  ];
  test.each(rows)('%s is told with what to change', async (_what, changed, step, advice) => {
    const add = ldap(plain(), changed);
    const args = '--role-rule' in changed ? add.slice(0, -rule.length) : add;
    const report = await dryRun(args, service.password, paula, 'marmot-of-paula-1');
    expect(report.ok).toBe(false);
    expect(report.step(step)).toMatchObject({ ok: false, advice: expect.stringMatching(advice) });
  });

  test('a wrong password is told as such, and a template needs no service account', async () => {
    const template = [
      '--kind',
      'ldap',
      '--ldap-url',
      plain(),
      '--dn-template',
      `uid={username},ou=people,${suffix}`,
    ];
    await toolDone(['idp', 'add', 'it', ...template, ...rule], { dataDir, env });
    const sign = (password: string) =>
      runTool(['idp', 'test', 'it', ...paula, '--json'], { dataDir, env, stdin: password });
    const wrong = await sign('marmot-other');
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining('password is wrong')]);
    expect((await sign('marmot-of-paula-1')).code).toBe(0);
  });
});
