/** Links by which people choose their password, and passwords that an administrator chooses for them. */
import { z } from 'zod';
import { endsBetween } from '../../accounts/elevations/elevation-record.ts';
import type { Invitation, Invitations } from '../../accounts/users/invitations.ts';
import { type Answer, type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { password, type ShownUserDeps, shown, time, userView } from './user-form.ts';
import { findUser, termsOf, type UserNeeds, userParams } from './users.ts';

export interface UserPasswordNeeds extends UserNeeds {
  readonly invitations: Invitations;
}

const ttlSeconds = z
  .number()
  .int()
  .min(300)
  .max(604_800)
  .meta({ description: 'How long the link counts; a day unless it is said.', example: 86_400 });

const invitationView = view({
  user: userView,
  link: z.string().nullable().meta({
    description: 'For the person alone: whoever has it chooses the password, once. Shown this once.',
  }),
  expiresAt: dateTime.nullable(),
}).meta({ id: 'Invitation' });

export const userPasswordOperations: readonly Operation<UserPasswordNeeds>[] = [
  operation({
    id: 'inviteUser',
    method: 'POST',
    path: '/users/{user}/invite',
    summary: 'Makes a link by which an invited user chooses a password; those before it are void.',
    access: 'write',
    event: 'user.invited',
    isOneChange: true,
    isMaking: true,
    statuses: [200],
    params: userParams,
    body: z.strictObject({ ttlSeconds: ttlSeconds.exactOptional() }),
    answer: invitationView,
    problems: [409],
    async run(call, needs: UserPasswordNeeds) {
      const { id } = await findUser(call.params, needs);
      return invited(await needs.invitations.invite(id, { ...termsOf(call), ...call.body }), needs);
    },
  }),
  operation({
    id: 'resetUserPassword',
    method: 'POST',
    path: '/users/{user}/reset-password',
    summary: 'Ends the password and all sessions of a user: with a new password, or a link to choose one.',
    access: 'write',
    isDangerous: true,
    event: 'user.password_reset',
    isOneChange: true,
    isMaking: true,
    statuses: [200],
    params: userParams,
    body: z
      .strictObject({ ttlSeconds: ttlSeconds.exactOptional(), password: password.exactOptional() })
      .refine(
        (body) => body.password === undefined || body.ttlSeconds === undefined,
        'a password comes without a link',
      ),
    answer: invitationView,
    problems: [409],
    async run(call, needs: UserPasswordNeeds) {
      const { id } = await findUser(call.params, needs);
      const { password: chosen, ...terms } = call.body;
      if (chosen === undefined) {
        return invited(await needs.invitations.reset(id, { ...termsOf(call), ...terms }), needs);
      }
      const { before, after } = await needs.users.setPassword(id, chosen, undefined, termsOf(call));
      const answer = await shown(after, needs);
      const body = { user: answer.body, link: null, expiresAt: null };
      return { ...answer, body, also: endsBetween(before, after) };
    },
  }),
];

/** The audit trail has neither the link nor what it is found by. */
async function invited(
  { before, after, link, expiresAt }: Invitation,
  needs: ShownUserDeps,
): Promise<Answer> {
  const answer = await shown(after, needs);
  const body = { user: answer.body, link, expiresAt: time(expiresAt * 1000) };
  return { ...answer, body, also: endsBetween(before, after) };
}
