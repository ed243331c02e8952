/** What is shown of a sign-in session, and which of them are meant. */
import { z } from 'zod';
import type { SignInSession } from '../../accounts/sessions.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import type { UserRecord } from '../../storage/records.ts';
import { idOf } from './session-ids.ts';

export const sessionId = z
  .string()
  .regex(/^ses_[\w-]{43}$/)
  .meta({
    description: 'Stands for the session; it is not the secret in the cookie.',
    example: 'ses_7Xk2WJ4m0c1q9fQz3s8dVnLrT5yGhB6uKpEaOiCxMwA',
  });
export const filters = {
  user: z.string().min(1).max(256).exactOptional().meta({ description: 'The name of a user.' }),
  client: z
    .string()
    .min(1)
    .max(64)
    .exactOptional()
    .meta({ description: 'The id of a client that the person has signed in to with it.' }),
  provider: z
    .string()
    .min(1)
    .max(64)
    .exactOptional()
    .meta({ description: 'The identity provider that the account comes from.' }),
};

export interface SessionFilter {
  readonly user?: string;
  readonly client?: string;
  readonly provider?: string;
}

export const sessionView = view({
  id: sessionId,
  user: z.string().meta({ description: 'The name of the user.', example: 'grace' }),
  clients: z.array(z.string()).meta({ description: 'What the person has signed in to with it.' }),
  provider: z.string().nullable(),
  startedAt: dateTime,
  lastSeenAt: dateTime.meta({ description: 'To a tenth of the time after which a session ends unused.' }),
  expiresAt: dateTime.meta({ description: 'Later, when it is used until then.' }),
  address: z.string().nullable(),
  agent: z.string().nullable().meta({ description: 'The browser, as it calls itself.' }),
  acr: z.string().nullable().meta({ description: 'How the person has proved who they are.', example: 'pwd' }),
}).meta({ id: 'Session' });

export function viewOf(
  session: SignInSession,
  { username, federated }: UserRecord,
): z.output<typeof sessionView> {
  const { applications, startedAt, lastSeenAt, expiresAt, clientAddress, userAgent, acr } = session;
  return {
    id: idOf(session),
    user: username,
    clients: [...new Set(applications.map(({ clientId }) => clientId))],
    provider: federated?.provider ?? null,
    startedAt: time(startedAt),
    lastSeenAt: time(lastSeenAt),
    expiresAt: time(expiresAt),
    address: clientAddress ?? null,
    agent: userAgent ?? null,
    acr: acr ?? null,
  };
}

function time(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString();
}
