/** `/api/v1/users`: who may sign in here, with which roles. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { endsBetween } from '../../accounts/elevations/elevation-record.ts';
import { hasUsernameForm } from '../../accounts/usernames.ts';
import type { ChangeTerms } from '../../accounts/users/user-change.ts';
import type { Users } from '../../accounts/users.ts';
import { changesBetween } from '../../operations/changes.ts';
import { type Operation, type OperationCall, operation } from '../../operations/operation.ts';
import type { UserRecord } from '../../storage/records.ts';
import { type ListUsersNeeds, listUsers } from './list-users.ts';
import { changed, fieldsOf, password, said, shown, user, userId, userView } from './user-form.ts';

export type UserNeeds = ListUsersNeeds;

export const userParams = z.strictObject({
  user: z.string().min(1).max(256).refine(hasUsernameForm, 'not the name of a user'),
});

export const userOperations: readonly Operation<UserNeeds>[] = [
  listUsers,
  operation({
    id: 'createUser',
    method: 'POST',
    path: '/users',
    summary: 'Adds a user, who is invited without a password.',
    access: 'write',
    event: 'user.added',
    isOneChange: true,
    isMaking: true,
    body: user.input.extend({ id: userId, password: password.exactOptional() }),
    answer: userView,
    problems: [409],
    async run({ body: { id, password: chosen, ...given }, checkMayGrant }, needs: UserNeeds) {
      const fields = fieldsOf(user.complete(given));
      const after = await needs.users.add({ username: id, password: chosen, ...fields }, { checkMayGrant });
      return { ...(await changed({ after }, needs)), status: 201 };
    },
  }),
  operation({
    id: 'readUser',
    method: 'GET',
    path: '/users/{user}',
    summary: 'Shows a user.',
    access: 'inspect',
    params: userParams,
    answer: userView,
    async run({ params }, needs: UserNeeds) {
      return shown(await findUser(params, needs), needs);
    },
  }),
  operation({
    id: 'putUser',
    method: 'PUT',
    path: '/users/{user}',
    summary: 'Makes a user be as it is said here; the password stays, and who is new is invited.',
    access: 'write',
    event: 'user.updated',
    isOneChange: true,
    params: userParams,
    body: user.input,
    answer: userView,
    problems: [409],
    async run(call, needs: UserNeeds) {
      const { roles, eligibleRoles, email, name = null } = fieldsOf(user.complete(call.body));
      const given = {
        username: call.params.user,
        roles: roles ?? [],
        eligibleRoles: eligibleRoles ?? [],
        email,
        name,
      };
      const done = await needs.users.replace(given, { ...termsOf(call), isNew: call.isNew });
      const isAdded = done.before === undefined;
      return { ...(await changed(done, needs)), ...(isAdded && { status: 201, event: 'user.added' }) };
    },
  }),
  operation({
    id: 'updateUser',
    method: 'PATCH',
    path: '/users/{user}',
    summary: 'Changes what is named; a change of roles ends what was issued to the user before.',
    access: 'write',
    event: 'user.updated',
    isOneChange: true,
    params: userParams,
    body: user.patch,
    answer: userView,
    problems: [409],
    async run(call, needs: UserNeeds) {
      const { id } = await findUser(call.params, needs);
      return changed(await needs.users.update(id, fieldsOf(user.changed(call.body)), termsOf(call)), needs);
    },
  }),
  operation({
    id: 'deleteUser',
    method: 'DELETE',
    path: '/users/{user}',
    summary: 'Removes a user, with all sessions and all that was issued.',
    access: 'write',
    isDangerous: true,
    event: 'user.removed',
    isOneChange: true,
    params: userParams,
    problems: [409],
    async run(call, needs: UserNeeds) {
      const { id } = await findUser(call.params, needs);
      const before = await needs.users.remove(id, termsOf(call));
      const changes = changesBetween(said(before), undefined);
      return { target: before.username, changes, also: endsBetween(before, undefined) };
    },
  }),
  operation({
    id: 'disableUser',
    method: 'POST',
    path: '/users/{user}/disable',
    summary: 'Keeps a user from signing in, and ends all sessions and all that was issued.',
    access: 'write',
    event: 'user.disabled',
    isOneChange: true,
    params: userParams,
    answer: userView,
    problems: [409],
    async run(call, needs: UserNeeds) {
      const { id } = await findUser(call.params, needs);
      return changed(await needs.users.setDisabled(id, true, termsOf(call)), needs);
    },
  }),
  operation({
    id: 'enableUser',
    method: 'POST',
    path: '/users/{user}/enable',
    summary: 'Lets a disabled user sign in again.',
    access: 'write',
    event: 'user.enabled',
    isOneChange: true,
    params: userParams,
    answer: userView,
    async run(call, needs: UserNeeds) {
      const { id } = await findUser(call.params, needs);
      return changed(await needs.users.setDisabled(id, false, termsOf(call)), needs);
    },
  }),
  operation({
    id: 'endUserSessions',
    method: 'POST',
    path: '/users/{user}/end-sessions',
    summary: 'Ends all sessions of a user, and all that was issued until now.',
    access: 'write',
    event: 'user.sessions_ended',
    isOneChange: true,
    params: userParams,
    answer: userView,
    async run(call, needs: UserNeeds) {
      const { id } = await findUser(call.params, needs);
      const { after } = await needs.users.endSessions(id, termsOf(call));
      return shown(after, needs);
    },
  }),
];

/** @throws {ProblemError} `not_found` */
export async function findUser(
  { user: name }: z.output<typeof userParams>,
  { users }: { readonly users: Pick<Users, 'findByName'> },
): Promise<UserRecord> {
  const found = await users.findByName(name);
  if (found) return found;
  throw new ProblemError(problems.notFound, 'There is no user of this name.');
}

export function termsOf({
  actor,
  ifMatch,
  checkMayGrant,
}: Pick<OperationCall, 'actor' | 'ifMatch' | 'checkMayGrant'>): ChangeTerms {
  return { version: ifMatch, by: actor.kind === 'user' ? actor.id : undefined, checkMayGrant };
}
