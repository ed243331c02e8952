/** The audit of several consoles on one PostgreSQL: each shows what all of them have written, within a second. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunningConsole } from '../../helpers/console.ts';
import { postgresPrograms } from '../../helpers/postgres.ts';
import { type Consoles, openConsoles } from './support.ts';

describe.skipIf(postgresPrograms === undefined)('the audit of several consoles, where PostgreSQL is', () => {
  let consoles: Consoles;
  let one: RunningConsole;
  let other: RunningConsole;

  beforeAll(async () => {
    consoles = await openConsoles();
    one = await consoles.start();
    other = await consoles.start();
  }, 120_000);
  afterAll(() => consoles?.close(), 120_000);

  const clientAt = (console: RunningConsole, id: string) =>
    consoles.api(console, 'POST', '/clients', { id, scopes: ['svc:health:read'] });
  /** What becomes of it within a second, on a machine that has time; a busy one gets some more. */
  const soon = { timeout: 5_000, interval: 50 };

  test('what one has written is in the list, the entry, the overview and the export of the other', async () => {
    await clientAt(one, 'from-one');
    await clientAt(other, 'from-other');
    for (const console of [one, other]) {
      await vi.waitFor(async () => {
        const ids = (await consoles.entries(console, '?event=client.added')).map(({ object }) => object?.id);
        expect(ids).toEqual(['from-other', 'from-one']);
      }, soon);
      const [entry] = await consoles.entries(console, '?object=client:from-one');
      expect(await consoles.api(console, 'GET', `/audit/${entry!.id}`)).toMatchObject({
        object: { kind: 'client', id: 'from-one' },
        outcome: 'success',
      });
      const { changes } = await consoles.api<{ changes: { object: { id: string } }[] }>(
        console,
        'GET',
        '/audit/latest',
      );
      expect(changes.slice(0, 2).map(({ object }) => object.id)).toEqual(['from-other', 'from-one']);
      const { text } = await consoles.call(console, 'GET', '/api/v1/audit/export?format=csv&event=client.added');
      expect(text.split('\r\n').filter((line) => line.includes('client.added'))).toHaveLength(2);
    }
    // One chain for each of them.
    const writers = await consoles.query<{ writer: string }>('select writer from audit_chain');
    expect(writers).toHaveLength(2);
  });
});
