/**
 * What each folder may import. Imports point one way: a room uses itself and the rooms that it names, and nothing else;
 * `console/*.ts` (the entries and the start) may use everything. The linter refuses the rest: its overrides in
 * `biome.json` are made from this table by `npm run house -- --write`.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  views: [],
  http: ['platform'],
  'access-tokens': ['http', 'platform'],
  'member-proxy': ['access-tokens', 'http', 'platform'],
  member: ['http', 'platform'],
  dashboard: ['http', 'platform'],
  'console/storage': ['platform'],
  'console/storage/migration': ['console/storage', 'platform'],
  'console/storage/engine': ['console/storage', 'platform'],
  'console/storage/embedded': [
    'console/storage',
    'console/storage/engine',
    'console/storage/migration',
    'platform',
  ],
  'console/storage/postgres': [
    'console/storage',
    'console/storage/engine',
    'console/storage/migration',
    'platform',
  ],
  'console/storage/staged': ['console/storage', 'platform'],
  'console/configuration': ['console/accounts', 'console/operations', 'console/storage', 'platform'],
  'console/settings': ['platform'],
  'console/audit': ['console/http', 'console/storage', 'console/storage/postgres', 'platform'],
  'console/operations': ['platform'],
  'console/accounts': ['console/storage', 'platform'],
  'console/telemetry': ['member-proxy', 'platform'],
  'console/http': ['console/storage', 'http', 'platform', 'views'],
  'console/health': ['console/http', 'platform'],
  'console/metrics': ['console/http', 'console/storage', 'platform'],
  'console/doctor': ['console/http', 'console/settings', 'console/storage', 'platform'],
  'console/outbox': ['console/http', 'console/storage', 'platform'],
  'console/installation': ['console/storage', 'platform'],
  'console/licence': ['console/http', 'console/outbox', 'console/storage', 'platform'],
  'console/keys': ['console/http', 'console/storage', 'platform'],
  'console/clients': ['console/accounts', 'console/keys', 'console/storage', 'platform'],
  'console/tokens': [
    'console/accounts',
    'console/clients',
    'console/http',
    'console/keys',
    'console/storage',
    'platform',
  ],
  'console/oidc': [
    'console/accounts',
    'console/clients',
    'console/http',
    'console/keys',
    'console/storage',
    'console/tokens',
    'platform',
  ],
  'console/login': [
    'console/accounts',
    'console/clients',
    'console/http',
    'console/oidc',
    'console/storage',
    'console/tokens',
    'platform',
    'views',
  ],
  'console/logout': [
    'console/accounts',
    'console/clients',
    'console/http',
    'console/keys',
    'console/login',
    'console/outbox',
    'console/storage',
    'platform',
    'views',
  ],
  'console/federation': ['console/accounts', 'console/http', 'console/storage', 'platform', 'views'],
  'console/access': ['console/accounts', 'console/clients', 'console/storage', 'member-proxy', 'platform'],
  'console/admin-api': [
    'console/accounts',
    'console/approvals',
    'console/audit',
    'console/clients',
    'console/configuration',
    'console/federation',
    'console/http',
    'console/installation',
    'console/jobs',
    'console/keys',
    'console/licence',
    'console/metrics',
    'console/operations',
    'console/settings',
    'console/storage',
    'platform',
  ],
  'console/description': ['console/admin-api', 'console/http', 'console/operations', 'platform'],
  'console/server': [
    'access-tokens',
    'console/http',
    'console/keys',
    'console/metrics',
    'console/settings',
    'console/storage',
    'http',
    'member-proxy',
    'platform',
  ],
  'console/members': ['console/server', 'console/storage', 'member-proxy', 'platform'],
  'console/proxy': [
    'access-tokens',
    'console/access',
    'console/clients',
    'console/health',
    'console/http',
    'console/metrics',
    'console/server',
    'console/settings',
    'console/tokens',
    'console/usage',
    'http',
    'member-proxy',
    'platform',
  ],
  'console/pages': [
    'console/admin-api',
    'console/configuration',
    'console/http',
    'console/login',
    'console/operations',
    'platform',
    'views',
  ],
  'console/app': [
    'access-tokens',
    'console/access',
    'console/accounts',
    'console/admin-api',
    'console/approvals',
    'console/audit',
    'console/bulk',
    'console/clients',
    'console/configuration',
    'console/description',
    'console/federation',
    'console/health',
    'console/http',
    'console/installation',
    'console/jobs',
    'console/keys',
    'console/licence',
    'console/login',
    'console/logout',
    'console/members',
    'console/metrics',
    'console/oidc',
    'console/operations',
    'console/pages',
    'console/server',
    'console/settings',
    'console/storage',
    'console/storage/staged',
    'console/telemetry',
    'console/tokens',
    'console/usage',
    'http',
    'member-proxy',
    'platform',
  ],
  'console/approvals': ['console/operations', 'console/storage', 'platform'],
  'console/usage': [
    'console/access',
    'console/accounts',
    'console/clients',
    'console/operations',
    'console/storage',
    'member-proxy',
    'platform',
  ],
  'console/bulk': ['console/accounts', 'console/clients', 'console/storage', 'platform'],
  'console/jobs': ['console/bulk', 'console/storage', 'platform'],
  'console/workers': [
    'access-tokens',
    'console/app',
    'console/audit',
    'console/clients',
    'console/members',
    'console/metrics',
    'console/settings',
    'console/storage',
    'console/storage/embedded',
    'console/tokens',
    'console/usage',
    'platform',
  ],
  'console/commands': [
    'console/accounts',
    'console/admin-api',
    'console/app',
    'console/audit',
    'console/bulk',
    'console/clients',
    'console/configuration',
    'console/doctor',
    'console/federation',
    'console/http',
    'console/keys',
    'console/licence',
    'console/logout',
    'console/operations',
    'console/settings',
    'console/storage',
    'console/storage/embedded',
    'console/storage/migration',
    'console/storage/postgres',
    'console/tokens',
    'platform',
  ],
};

const roomNames = Object.keys(rooms).sort((a, b) => b.length - a.length);

/** @returns the room of a file, from the root; undefined for entries, tests and benchmarks */
export function roomOf(file: string): string | undefined {
  return roomNames.find((name) => file.startsWith(`${name}/`));
}

/** Folders below a room that are rooms of their own. */
export function roomsWithin(room: string): readonly string[] {
  return roomNames.filter((name) => name.startsWith(`${room}/`));
}

interface Override {
  readonly includes: readonly string[];
  readonly linter: object;
}

const deepest = 3;

/** The linter's rules, one for each room and depth: a relative import says how far it goes up. */
export function importRules(): readonly Override[] {
  return Object.entries(rooms).flatMap(([room, may]) =>
    Array.from({ length: deepest }, (_, depth) => ruleFor(room, may, depth)),
  );
}

function ruleFor(room: string, may: readonly string[], depth: number): Override {
  const out = '../'.repeat(depth + 1);
  const toRoot = '../'.repeat(depth + room.split('/').length);
  const own = roomsWithin(room).map(
    (name) => `${'../'.repeat(depth) || './'}${name.slice(room.length + 1)}/**`,
  );
  const allowed = may.map((name) => `!${pathTo(name, room, out, toRoot)}`);
  const message = `${room}/ may import ${may.length === 0 ? 'no other folder' : may.join(', ')}: test/house/rooms.ts has the steps.`;
  return {
    includes: [`${room}/${'*/'.repeat(depth)}*`],
    linter: {
      rules: {
        style: {
          noRestrictedImports: {
            level: 'error',
            options: { patterns: [{ group: [...own, `${out}**`, ...allowed], message }] },
          },
        },
      },
    },
  };
}

/** As a file of the room writes it: by the nearest folder that both have. */
function pathTo(name: string, room: string, out: string, toRoot: string): string {
  const rest = roomsWithin(name).length > 0 ? '*' : '**';
  const parts = room.split('/');
  const shared = parts.slice(0, -1).filter((part, i) => name.split('/')[i] === part).length;
  const up = shared === 0 ? toRoot : out + '../'.repeat(parts.length - 1 - shared);
  return [up.slice(0, -1), ...name.split('/').slice(shared), rest].join('/');
}
