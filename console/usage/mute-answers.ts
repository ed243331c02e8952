/** What the admin API says of denials that are muted, and which denials a question means. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { DenialLog, FoundDenial } from '../access/denials.ts';
import { unknownDecision } from '../access/questions.ts';
import type { Users } from '../accounts/users.ts';
import type { Clients } from '../clients/clients.ts';
import { causeOfCall, type DenialCause } from './denial-cause.ts';
import { callerOf } from './denied-callers.ts';
import type { DenialMutes, MutedDenials } from './muted-denials.ts';
import { namesOfText } from './usage-row.ts';

/** A denial by its id, or a call and who makes it. */
export interface AskedDenials {
  readonly decision?: string | undefined;
  readonly client?: string | undefined;
  readonly user?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
}

export interface MuteAnswersDeps {
  readonly mutes: DenialMutes;
  readonly denials: Pick<DenialLog, 'find'>;
  readonly users: Pick<Users, 'find' | 'findByName'>;
  readonly clients: Pick<Clients, 'find'>;
}

export function createMuteAnswers({ mutes, denials, users, clients }: MuteAnswersDeps) {
  return {
    list: () => Promise.all(mutes.list().map(viewOf)),
    /** @returns undefined where it is not muted, or no permission would open it. @throws {ProblemError} `not_found` */
    async of(asked: AskedDenials) {
      const cause = await causeOf(asked);
      const muted = cause && mutes.of(cause);
      return muted && viewOf(muted);
    },
    /** @throws {ProblemError} `not_found`, `invalid_request`, `conflict` */
    async mute(asked: AskedDenials, days: number, by: MutedDenials['by']) {
      const cause = await causeOf(asked);
      if (!cause) {
        throw new ProblemError(
          problems.invalidRequest,
          'Only calls to members can be muted that lack a permission, of a caller who is known.',
        );
      }
      const { before, after } = await mutes.mute(cause, days, by);
      return { before: before && (await viewOf(before)), after: await viewOf(after) };
    },
    /** @throws {ProblemError} `not_found` */
    async unmute(id: string) {
      const before = await mutes.unmute(id);
      if (before) return viewOf(before);
      throw new ProblemError(problems.notFound, 'No denials are muted by this id, or not any more.');
    },
  };

  async function causeOf({ decision, client, user, method, path }: AskedDenials) {
    if (decision !== undefined) {
      const found = await denials.find(decision);
      if (!found) throw unknownDecision(decision);
      return causeOfDenial(found);
    }
    return causeOfCall(await whoIs({ client, user }), method!.toUpperCase(), path!);
  }

  async function whoIs({ client, user }: Pick<AskedDenials, 'client' | 'user'>): Promise<string> {
    if (client !== undefined) {
      const found = await clients.find(client);
      if (found) return `client:${found.id}`;
      throw new ProblemError(problems.notFound, `There is no client ${client}.`);
    }
    const found = (await users.findByName(user!)) ?? (await users.find(user!));
    if (found) return `user:${found.id}`;
    throw new ProblemError(problems.notFound, `There is no user ${user}.`);
  }

  async function viewOf({ id, who, permission, structure, name, mutedAt, until, by }: MutedDenials) {
    const isPerson = by.kind === 'user';
    return {
      id,
      caller: await callerOf({ who }, users),
      permission,
      structure: structure || null,
      names: structure ? (namesOfText(name) ?? null) : [],
      mutedAt: new Date(mutedAt).toISOString(),
      until: new Date(until).toISOString(),
      by: isPerson ? await callerOf({ who: `user:${by.id}` }, users) : by,
    };
  }
}

function causeOfDenial({ code, caller, method, path }: FoundDenial): DenialCause | undefined {
  if (!caller || code !== problems.insufficientScope.code) return undefined;
  const kind = caller.subject === caller.clientId ? 'client' : 'user';
  return causeOfCall(`${kind}:${caller.subject}`, method, path);
}
