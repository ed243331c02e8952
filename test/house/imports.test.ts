import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** File, what it imports, and whether the linter of this project lets it. */
const rows = [
  ['views/a.ts', '../console/errors.ts', false],
  ['views/b.ts', './layout.ts', true],
  ['member/a.ts', '../console/errors.ts', false],
  ['member/data/a.ts', '../../member-proxy/rules.ts', false],
  ['member/b.ts', '../member-proxy/fast-lane/fast-lane.ts', true],
  ['member/d.ts', '../member-proxy/overload/overload.ts', true],
  ['member/c.ts', '../member-proxy/rules.ts', false],
  ['dashboard/a.ts', '../console/errors.ts', false],
  ['dashboard/b.ts', '../views/layout.tsx', false],
  ['dashboard/views/c.tsx', '../../views/layout.tsx', false],
  ['dashboard/views/d.tsx', './layout.tsx', true],
  ['dashboard/routes/e.ts', '../views/overview.tsx', true],
  ['dashboard/f.ts', '../member/member.ts', false],
  ['member-proxy/a.ts', '../console/storage/storage.ts', false],
  ['member-proxy/b.ts', '../console/errors.ts', true],
  ['member-proxy/c.ts', '../views/error.ts', false],
  ['member-proxy/d.ts', '../console/log.ts', true],
  ['member-proxy/e.ts', '../console/log-cleaning.ts', false],
  ['console/accounts/a.ts', '../oidc/keys.ts', false],
  ['console/accounts/b.ts', '../http/form.ts', false],
  ['console/accounts/c.ts', '../storage/storage.ts', true],
  ['console/http/a.ts', '../accounts/users.ts', false],
  ['console/http/b.ts', '../errors.ts', true],
  ['console/oidc/a.ts', '../../member-proxy/bearer.ts', false],
  ['console/oidc/b.ts', '../admin/login.ts', false],
  ['console/oidc/c.ts', '../storage/open.ts', false],
  ['console/oidc/d.ts', '../accounts/users.ts', true],
  ['console/oidc/e.ts', '../settings/settings.ts', false],
  ['console/oidc/f.ts', '../settings/checks.ts', true],
  ['console/oidc/g.ts', '../outbox/sender.ts', true],
  ['console/oidc/h.ts', '../licence/licences.ts', false],
  ['console/outbox/a.ts', '../http/outbound.ts', true],
  ['console/outbox/b.ts', '../storage/storage.ts', true],
  ['console/outbox/c.ts', '../storage/open.ts', false],
  ['console/outbox/d.ts', '../oidc/keys.ts', false],
  ['console/licence/a.ts', '../outbox/sender.ts', true],
  ['console/licence/b.ts', '../oidc/keys.ts', false],
  ['console/licence/c.ts', '../settings/settings.ts', false],
  ['console/doctor/a.ts', '../oidc/keys.ts', false],
  ['console/doctor/b.ts', '../licence/licences.ts', false],
  ['console/http/d.ts', '../outbox/sender.ts', false],
  ['console/http/c.ts', '../settings/table.ts', false],
  ['console/admin/a.ts', '../oidc/keys.ts', false],
  ['console/admin-api/a.ts', '../federation/providers/providers.ts', false],
  ['console/admin-api/b.ts', '../http/send.ts', true],
  ['console/federation/a.ts', '../admin-api/access.ts', false],
  ['console/federation/saml/a.ts', '../../oidc/keys.ts', false],
  ['console/federation/saml/b.ts', '../../settings/settings.ts', false],
  ['console/federation/providers/a.ts', '../oidc/connector.ts', true],
  ['console/oidc/i.ts', '../access/questions.ts', false],
  ['console/admin-api/c.ts', '../access/questions.ts', false],
  ['console/access/a.ts', '../../member-proxy/explain.ts', true],
  ['console/access/b.ts', '../oidc/access-token.ts', true],
  ['console/access/c.ts', '../admin-api/access.ts', false],
  ['console/access/d.ts', '../services.ts', false],
  ['console/access/e.ts', '../storage/open.ts', false],
  ['console/commands/a.ts', '../storage/open.ts', false],
  ['console/compose/a.ts', '../storage/open.ts', false],
  ['console/compose/b.ts', '../oidc/keys.ts', true],
  ['console/compose/c.ts', '../start.ts', false],
  ['console/compose/d.ts', '../proxy/serve.ts', false],
  ['console/proxy/a.ts', '../../member-proxy/bearer.ts', true],
  ['console/proxy/b.ts', '../compose/member-surface.ts', true],
  ['console/proxy/c.ts', '../oidc/token-news.ts', true],
  ['console/proxy/d.ts', '../settings/settings.ts', true],
  ['console/proxy/e.ts', '../app.ts', true],
  ['console/proxy/f.ts', '../compose/shared.ts', false],
  ['console/proxy/g.ts', '../oidc/keys.ts', false],
  ['console/proxy/h.ts', '../storage/storage.ts', false],
  ['console/proxy/i.ts', '../services.ts', false],
  ['console/proxy/j.ts', '../../member/listen.ts', false],
  ['console/services.ts', './storage/open.ts', false],
  ['console/main.ts', './storage/open.ts', true],
] as const;

let tree: string;
let refused: Set<string>;

beforeAll(async () => {
  tree = await realpath(await mkdtemp(join(tmpdir(), 'console-imports-')));
  await cp(join(root, 'biome.json'), join(tree, 'biome.json'));
  for (const [file, from] of rows) {
    await mkdir(dirname(join(tree, file)), { recursive: true });
    await writeFile(join(tree, file), `export { thing } from '${from}';\n`);
  }
  refused = await lint(tree);
});
afterAll(() => rm(tree, { recursive: true }));

test.each(rows)('%s may import %s: %s', (file, _from, isAllowed) => {
  expect(refused.has(file)).toBe(!isAllowed);
});

async function lint(cwd: string): Promise<Set<string>> {
  const biome = join(root, 'node_modules/.bin/biome');
  const args = [
    'lint',
    '--reporter=github',
    '--vcs-enabled=false',
    '--max-diagnostics=none',
    '--only=style/noRestrictedImports',
    '.',
  ];
  const { stdout } = await promisify(execFile)(biome, args, { cwd }).catch((error) => error);
  const lines = String(stdout)
    .split('\n')
    .filter((line) => line.includes('noRestrictedImports'));
  return new Set(lines.map((line) => relative(cwd, /file=([^,]+),/.exec(line)![1]!)));
}
