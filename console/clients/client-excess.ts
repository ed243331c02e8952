/** What registered clients have that they may not need: for the administrator, who alone can tell. */
import type { ClientRecord } from '../storage/records.ts';
import { dashboardClientId } from './clients.ts';
import { pkcePolicyOf } from './pkce.ts';
import { ceilingOf } from './role-ceiling.ts';

/** Ids of clients, each list for one thing; those of the settings are what the settings say. */
export interface ClientExcess {
  /** Are there because nothing says that they are not. */
  readonly unaskedClients: readonly string[];
  /** May sign people in with neither PKCE nor a nonce. */
  readonly unboundClients: readonly string[];
  /** Get every role of their users. */
  readonly unlimitedClients: readonly string[];
  /** Have had the same secret for more than a year. */
  readonly unrotatedClients: readonly string[];
}

const oldMs = 365 * 86_400_000;

export interface ExcessOptions {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether the addresses of the dashboard are those that nobody has set. */
  readonly isDashboardDefault: boolean;
}

export function excessOf(
  clients: readonly ClientRecord[],
  { now, isDashboardDefault }: ExcessOptions,
): ClientExcess {
  const live = clients.filter(({ disabled }) => !disabled);
  const own = live.filter(({ fromSettings }) => !fromSettings);
  const idsOf = (found: readonly ClientRecord[]) => found.map(({ id }) => id);
  return {
    unaskedClients: idsOf(live.filter(({ id }) => isDashboardDefault && id === dashboardClientId)),
    unboundClients: idsOf(live.filter((client) => pkcePolicyOf(client) === 'optional')),
    unlimitedClients: idsOf(
      own.filter((client) => client.grantTypes.includes('authorization_code') && isUnlimited(client)),
    ),
    unrotatedClients: idsOf(own.filter(({ secrets }) => secrets[0] && secrets[0].createdAt + oldMs < now)),
  };
}

function isUnlimited(client: ClientRecord): boolean {
  const ceiling = ceilingOf(client);
  return ceiling === undefined || ceiling.includes('Admin');
}
