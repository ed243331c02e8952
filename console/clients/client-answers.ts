/** Clients as the admin API shows and changes them: what they may ask for, and when they last did. */

import type { PageRequest } from '../storage/record-store.ts';
import type { ClientChange } from './client-change.ts';
import type { ClientUses } from './client-last-used.ts';
import type { ClientRegistration } from './client-registration.ts';
import { viewOf } from './client-view.ts';
import type { Clients } from './clients.ts';

export interface ClientAnswersDeps {
  readonly clients: Pick<Clients, 'find' | 'page'>;
  readonly clientUses: Pick<ClientUses, 'readOf'>;
  readonly registration: Pick<ClientRegistration, 'update'>;
}

export function createClientAnswers({ clients, clientUses, registration }: ClientAnswersDeps) {
  return {
    async list(asked: PageRequest) {
      const { records, next } = await clients.page(asked);
      const useOf = await clientUses.readOf(records);
      return { items: records.map((client) => viewOf(client, useOf(client))), next };
    },
    /** @returns undefined when there is no such client */
    async show(id: string) {
      const client = await clients.find(id);
      return client && viewOf(client, (await clientUses.readOf([client]))(client));
    },
    /** @throws {ProblemError} as {@link ClientRegistration.update} */
    update: async (id: string, change: ClientChange) => viewOf(await registration.update(id, change)),
  };
}
