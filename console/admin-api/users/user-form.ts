/** What is said of a user at `/api/v1/users`: what an administrator gives, and what is shown. */
import { z } from 'zod';
import { endsBetween } from '../../accounts/elevations/elevation-record.ts';
import type { SignInTimes } from '../../accounts/sign-in-times.ts';
import type { ChangedUser } from '../../accounts/users/user-change.ts';
import { isDisplayName, isEmail } from '../../accounts/users/user-rules.ts';
import { changesBetween } from '../../operations/changes.ts';
import type { Answer } from '../../operations/operation.ts';
import { holdOf, holdView, ownerOf, ownerView } from '../../operations/owner.ts';
import { dateTime, resource, view } from '../../operations/resource-fields.ts';
import { versionOf } from '../../storage/record-version.ts';
import type { UserRecord } from '../../storage/records.ts';
import { statusOf } from '../../storage/user-lists.ts';

export const userId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The name by which the person signs in; found in any case.', example: 'grace' });
export const roleName = z.string().min(1).max(64);
export const userStatus = z.enum(['active', 'invited', 'disabled', 'locked']).meta({
  description:
    'An invited user has no password yet, and needs a link to choose one. At one that is locked a hundred wrong passwords were tried within a day: who has failed waits, and the right one from elsewhere gets in.',
});
export const password = z
  .string()
  .max(1024)
  .meta({ description: 'Never shown again.', writeOnly: true, format: 'password' });

const fields = {
  displayName: z
    .string()
    .max(200)
    .refine(isDisplayName, 'a name is one line, and not of spaces alone')
    .meta({ description: 'In full, for people.', example: 'Grace Hopper' }),
  email: z
    .string()
    .max(254)
    .refine(isEmail, 'not an e-mail address')
    .meta({ description: 'Nothing is sent there.', example: 'grace@example.com' }),
  roles: z
    .array(roleName)
    .max(200)
    .meta({ description: 'Built-in roles and custom ones.', example: ['Viewer'] }),
  eligibleRoles: z
    .array(roleName)
    .max(200)
    .meta({ description: 'Roles that the person may take for a while, with a reason.', example: ['Admin'] }),
};
export const user = resource({
  fields,
  defaults: { displayName: null, email: null, roles: [], eligibleRoles: [] },
});

export const userView = view({
  id: z.string().meta({ description: 'The name by which the person signs in.', example: 'grace' }),
  subject: z
    .string()
    .meta({ description: 'What tokens say for the person (`sub`): random, and never that of another.' }),
  displayName: z.string().nullable(),
  email: z.string().nullable(),
  roles: z.array(z.string()),
  eligibleRoles: z.array(z.string()),
  origin: z
    .strictObject({ provider: z.string().nullable(), subject: z.string().nullable() })
    .meta({ description: 'The identity provider that vouches for the person, and who that is there.' }),
  status: userStatus,
  lastSignInAt: dateTime.nullable(),
  createdAt: dateTime,
  updatedAt: dateTime,
  owner: ownerView,
  hold: holdView.nullable(),
}).meta({ id: 'User' });

export interface ShownUserDeps {
  readonly times: SignInTimes;
  readonly lockedNames: { has(username: string): boolean | Promise<boolean> };
}

export async function viewOf(
  record: UserRecord,
  { times, lockedNames }: ShownUserDeps,
): Promise<z.output<typeof userView>> {
  const { id, username, name, email, roles, eligibleRoles = [], federated } = record;
  const { createdAt, updatedAt = createdAt } = record;
  const lastSignIn = await times.last(id);
  return {
    id: username,
    subject: id,
    displayName: name ?? null,
    email: email ?? null,
    roles: [...roles],
    eligibleRoles: [...eligibleRoles],
    origin: { provider: federated?.provider ?? null, subject: federated?.subject ?? null },
    status: (await isLocked(record, { lockedNames })) ? 'locked' : statusOf(record),
    lastSignInAt: lastSignIn === undefined ? null : time(lastSignIn * 1000),
    createdAt: time(createdAt),
    updatedAt: time(updatedAt),
    owner: ownerOf(record),
    hold: holdOf(record),
  };
}

/** Of who could sign in. */
export async function isLocked(
  record: UserRecord,
  { lockedNames }: Pick<ShownUserDeps, 'lockedNames'>,
): Promise<boolean> {
  return statusOf(record) === 'active' && (await lockedNames.has(record.username));
}

export async function shown(record: UserRecord, deps: ShownUserDeps): Promise<Answer> {
  return { body: await viewOf(record, deps), version: versionOf(record), target: record.username };
}

/** The account as it is now, with what has changed for the audit trail. */
export async function changed({ before, after }: ChangedUser, deps: ShownUserDeps): Promise<Answer> {
  const changes = changesBetween(said(before), said(after));
  return {
    ...(await shown(after, deps)),
    changes,
    also: endsBetween(before, after),
    isUnchanged: before === after,
  };
}

/** What is an administrator's to say, and no secret. */
export function said(record: UserRecord | undefined) {
  if (!record) return undefined;
  const { name = null, email = null, roles, eligibleRoles = [] } = record;
  return { displayName: name, email, roles, eligibleRoles, status: statusOf(record) };
}

/** In the words of the accounts. */
export function fieldsOf<
  Fields extends {
    readonly displayName?: string | null;
    readonly roles?: readonly string[] | null;
    readonly eligibleRoles?: readonly string[] | null;
  },
>({ displayName, roles, eligibleRoles, ...rest }: Fields) {
  return {
    ...rest,
    ...(displayName === undefined ? {} : { name: displayName }),
    ...(roles === undefined ? {} : { roles: roles ?? [] }),
    ...(eligibleRoles === undefined ? {} : { eligibleRoles: eligibleRoles ?? [] }),
  };
}

export function time(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
