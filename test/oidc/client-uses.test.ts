/** What a console knows of the uses of its clients while it writes them. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClientUses } from '../../console/clients/uses/client-last-used.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { ClientRecord } from '../../console/storage/records.ts';

test('a token that is being written is counted once, and never missing', async () => {
  const { artifacts } = createMemoryStorage();
  // A disk that takes its time: before it has written, and after that.
  const slow: typeof artifacts = {
    ...artifacts,
    async put(...args) {
      await delay(5);
      await artifacts.put(...args);
      await delay(5);
    },
    async readMany(...args) {
      const found = await artifacts.readMany(...args);
      await delay(3);
      return found;
    },
  };
  const client = { id: 'billing', createdAt: 0, secrets: [] } as unknown as ClientRecord;
  const uses = createClientUses({
    artifacts: slow,
    clients: { find: async () => client },
    now: Date.now,
  });
  for (let tokens = 1; tokens <= 5; tokens++) {
    uses.recordToken(client.id, '127.0.0.1');
    let isWriting = true;
    const written = uses.flush().finally(() => {
      isWriting = false;
    });
    const seen: (number | undefined)[] = [];
    while (isWriting) seen.push((await uses.readOf([client]))(client).tokensLastHour);
    await written;
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set([tokens]));
  }
});
