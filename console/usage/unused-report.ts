/** Clients that nobody uses, and who is an administrator by asking for no scope. */

import type { Users } from '../accounts/users.ts';
import type { Clients } from '../clients/clients.ts';
import type { ClientUses } from '../clients/uses/client-last-used.ts';
import type { Usage } from './usage.ts';
import { tokenRows } from './usage-row.ts';

export interface UnusedReportDeps {
  readonly usage: Pick<Usage, 'read' | 'settle'>;
  readonly clients: Pick<Clients, 'page'>;
  readonly clientUses: Pick<ClientUses, 'readOf'>;
  readonly users: Pick<Users, 'find'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const dayMs = 86_400_000;
/** Administrators that an answer shows; of more, those with most calls. */
const mostShown = 500;

export function createUnusedReport({ usage, clients, clientUses, users, now }: UnusedReportDeps) {
  return {
    /** One page of clients that have got no token for so long; a page may be short. */
    async unused({
      days,
      limit,
      after,
    }: {
      readonly days: number;
      readonly limit: number;
      readonly after?: string | undefined;
    }) {
      const before = now() - days * dayMs;
      const { records, next } = await clients.page({ limit, ...(after !== undefined && { after }) });
      const useOf = await clientUses.readOf(records);
      const items = records.flatMap((client) => {
        const { lastUsedAt } = useOf(client);
        if ((lastUsedAt ?? client.createdAt) >= before) return [];
        return [
          {
            id: client.id,
            kind: client.grantTypes.includes('client_credentials') ? 'machine' : 'application',
            status: client.disabled ? 'disabled' : 'active',
            createdAt: client.createdAt === 0 ? null : new Date(client.createdAt).toISOString(),
            lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
            scopes: client.scopes,
          },
        ];
      });
      return { items, next };
    },
    /** Whose tokens had the role Admin without having asked for a role, and so more than they may need. */
    async administrators(days: number) {
      await usage.settle();
      const found = new Map<string, { calls: number; first: number; last: number }>();
      for await (const rows of usage.read({ days })) {
        for (const [who, , structure, , , calls, first, last] of rows) {
          if (structure !== tokenRows.administrator) continue;
          const known = found.get(who) ?? { calls: 0, first, last };
          found.set(who, {
            calls: known.calls + calls,
            first: Math.min(known.first, first),
            last: Math.max(known.last, last),
          });
        }
      }
      const most = [...found].sort(([, one], [, other]) => other.calls - one.calls).slice(0, mostShown);
      return Promise.all(
        most.map(async ([who, { calls, first, last }]) => {
          const at = who.indexOf(':');
          const [kind, id] = [who.slice(0, at), who.slice(at + 1)];
          const name = kind === 'user' ? ((await users.find(id))?.username ?? id) : id;
          const [firstAt, lastAt] = [new Date(first).toISOString(), new Date(last).toISOString()];
          return { kind, id: name, calls, firstAt, lastAt };
        }),
      );
    },
  };
}
