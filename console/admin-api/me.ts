/** `/api/v1/me`: who calls, what that opens, and calls to the members that read in that name. */
import { z } from 'zod';
import { openElevation } from '../accounts/elevations/effective-roles.ts';
import type { Users } from '../accounts/users.ts';
import { type Operation, operation } from '../operations/operation.ts';
import { dateTime, view } from '../operations/resource-fields.ts';
import {
  makeReadingCall,
  type ReadingCallNeeds,
  readingCallBody,
  readingCallFields,
} from './access/reading-call.ts';
import { memberProblems } from './cluster/member-calls.ts';

export interface MeNeeds extends ReadingCallNeeds {
  /** Of a person, as the account is now. */
  readonly users: Pick<Users, 'find'>;
  /** What a role opens; undefined for one that there is not. */
  readonly permissionsOf: (role: string) => readonly string[] | 'all' | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const meView = view({
  id: z.string().meta({ description: 'The `sub` of a person, or the id of a client.' }),
  kind: z.enum(['user', 'client', 'local']),
  username: z.string().nullable().meta({ description: 'Of a person.' }),
  roles: z.array(z.string()).meta({ description: 'That count here, by the token or the account.' }),
  eligibleRoles: z.array(z.string()).meta({ description: 'Of a person: roles to take for a while.' }),
  elevation: z
    .strictObject({ id: z.string(), role: z.string(), endsAt: dateTime })
    .nullable()
    .meta({ description: 'What a person has for a while now; a token from before has nothing of it.' }),
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
    async run({ actor }, { users, permissionsOf, now }: MeNeeds) {
      const { kind, id, roles, scopes, acr = null, signedInAt, via } = actor;
      const opened = roles.map((role) => permissionsOf(role) ?? []);
      const opensAll = kind === 'local' || opened.includes('all');
      const held = opened.flatMap((permissions) => (permissions === 'all' ? [] : permissions));
      const account = kind === 'user' ? await users.find(id) : undefined;
      const elevation = account && openElevation(account, now());
      return {
        body: {
          id,
          kind,
          username: account?.username ?? null,
          roles,
          eligibleRoles: account?.eligibleRoles ?? [],
          elevation: elevation
            ? { id: elevation.id, role: elevation.role, endsAt: new Date(elevation.endsAt).toISOString() }
            : null,
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
  operation({
    id: 'callAsMyself',
    method: 'POST',
    path: '/me/call',
    summary: 'Makes one reading call to the members as whoever calls, and shows what comes of it.',
    description:
      'It is decided by the roles of the caller, as for a token with all of them, and made by the console: no token is given out.',
    access: 'own',
    readEvent: 'members.call_tried',
    body: readingCallBody,
    answer: view(readingCallFields).meta({ id: 'OwnCall' }),
    problems: memberProblems,
    async run({ actor, body: { path }, isDryRun }, needs: MeNeeds) {
      const roles = actor.kind === 'local' ? ['Admin'] : actor.roles;
      const body = await makeReadingCall(path, { roles }, needs, isDryRun);
      return { asked: { path, isAllowed: body.isAllowed }, body };
    },
  }),
];
