/** What registered clients have that they may not need: for the administrator, who alone can tell. */
import type { ClientRecord } from '../storage/records.ts';
import { type Clients, dashboardClientId } from './clients.ts';
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

/** Of an installation with many. */
export interface InspectedClients extends ClientExcess {
  /** How many there was no time for. */
  readonly uninspectedClients: number;
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

/** What an answer names of each kind: whoever has more looks for them by other means. */
const mostNamed = 100;
const pageSize = 500;

export interface InspectionOptions extends ExcessOptions {
  /** For the whole of it, milliseconds; no page is read later. */
  readonly mostMs: number;
}

/** The same of as many clients as there is time for, page by page. */
export async function inspectClients(
  { page, count }: Pick<Clients, 'page' | 'count'>,
  options: InspectionOptions,
): Promise<InspectedClients> {
  const end = performance.now() + options.mostMs;
  let found: ClientExcess = excessOf([], options);
  let inspected = 0;
  let after: string | undefined;
  do {
    const { records, next } = await page({ limit: pageSize, after });
    const excess = excessOf(records, options);
    found = {
      unaskedClients: joined(found.unaskedClients, excess.unaskedClients),
      unboundClients: joined(found.unboundClients, excess.unboundClients),
      unlimitedClients: joined(found.unlimitedClients, excess.unlimitedClients),
      unrotatedClients: joined(found.unrotatedClients, excess.unrotatedClients),
    };
    inspected += records.length;
    after = next;
  } while (after !== undefined && performance.now() < end);
  return { ...found, uninspectedClients: after === undefined ? 0 : Math.max(1, (await count()) - inspected) };
}

function joined(one: readonly string[], other: readonly string[]): readonly string[] {
  return one.length >= mostNamed ? one : [...one, ...other].slice(0, mostNamed);
}
