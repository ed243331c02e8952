/** `/api/v1/me`: who calls, and what that opens. */
import { z } from 'zod';
import { type Operation, operation } from '../operations/operation.ts';
import { dateTime, view } from '../operations/resource-fields.ts';

export interface MeNeeds {
  /** Of a person, as the account is now. */
  readonly users: {
    find(id: string): Promise<{ readonly username: string } | undefined>;
  };
  /** What a role opens; undefined for one that there is not. */
  readonly permissionsOf: (role: string) => readonly string[] | 'all' | undefined;
}

const meView = view({
  id: z.string().meta({ description: 'The `sub` of a person, or the id of a client.' }),
  kind: z.enum(['user', 'client', 'local']),
  username: z.string().nullable().meta({ description: 'Of a person.' }),
  roles: z.array(z.string()).meta({ description: 'That count here, by the token or the account.' }),
  scopes: z.array(z.string()).meta({ description: 'Of a machine: those of its token for this API.' }),
  permissions: z.array(z.string()).meta({
    description: 'All that roles and scopes open, in the spelling of scopes; empty where `opensAll`.',
  }),
  opensAll: z
    .boolean()
    .meta({ description: 'Nothing is closed: the role Admin, or whoever reads the store.' }),
  acr: z.string().nullable().meta({ description: 'How a person signed in.' }),
  signedInAt: dateTime.nullable().meta({ description: 'When a person signed in, as far as that is known.' }),
  via: z.enum(['api', 'page', 'cli', 'code', 'system']).meta({ description: 'How this call came.' }),
}).meta({ id: 'Me' });

export const meOperations: readonly Operation<MeNeeds>[] = [
  operation({
    id: 'readMe',
    method: 'GET',
    path: '/me',
    summary: 'Says who calls, and what that opens.',
    access: 'own',
    answer: meView,
    async run({ actor }, { users, permissionsOf }: MeNeeds) {
      const { kind, id, roles, scopes, acr = null, signedInAt, via } = actor;
      const opened = roles.map((role) => permissionsOf(role) ?? []);
      const opensAll = kind === 'local' || opened.includes('all');
      const held = opened.flatMap((permissions) => (permissions === 'all' ? [] : permissions));
      return {
        body: {
          id,
          kind,
          username: kind === 'user' ? ((await users.find(id))?.username ?? null) : null,
          roles,
          scopes,
          permissions: opensAll ? [] : [...new Set([...held, ...scopes])].sort(),
          opensAll,
          acr,
          signedInAt: signedInAt === undefined ? null : new Date(signedInAt * 1000).toISOString(),
          via,
        },
      };
    },
  }),
];
