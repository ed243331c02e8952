/** The audit of several consoles, verified from the browser or the API of one of them: of all chains, and known to all. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunningConsole } from '../../helpers/console.ts';
import { sendForm } from '../../helpers/management.ts';
import { postgresPrograms } from '../../helpers/postgres.ts';
import { type Reply, textOf } from '../../helpers/user-agent.ts';
import { type Consoles, openConsoles } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

interface Verification {
  readonly verifiedAt: string | null;
  readonly isGood: boolean | null;
  readonly isSigned: boolean | null;
  readonly entries: number | null;
  readonly writers: readonly {
    readonly writer: string;
    readonly verdict: string;
    readonly seq: number | null;
    readonly lastSeq: number;
  }[];
}

describe.skipIf(postgresPrograms === undefined)(
  'verifying the audit of several consoles, where PostgreSQL is',
  () => {
    let consoles: Consoles;
    let one: RunningConsole;
    let other: RunningConsole;

    beforeAll(async () => {
      consoles = await openConsoles();
      one = await consoles.start();
      other = await consoles.start();
      for (const console of [one, other]) {
        const id = `of-${console.port}`;
        await consoles.api(console, 'POST', '/clients', { id, scopes: ['svc:health:read'] });
        await vi.waitFor(
          async () => expect(await consoles.entries(one, `?object=client:${id}`)).toHaveLength(1),
          20_000,
        );
      }
    }, 120_000);
    afterAll(() => consoles?.close(), 120_000);

    const last = (console: RunningConsole) =>
      consoles.api<Verification>(console, 'GET', '/audit/verification');
    const shown = (page: Reply) =>
      textOf({
        ...page,
        body: /<section class="part" id="verification".*?<\/section>/s.exec(page.body)?.[0] ?? '',
      });

    /** Begun at this one; the one that leads does it. */
    async function verified(console: RunningConsole): Promise<Verification> {
      const before = (await last(console)).verifiedAt;
      await consoles.api(console, 'POST', '/audit/verification');
      await vi.waitFor(async () => expect((await last(console)).verifiedAt).not.toBe(before), {
        timeout: 30_000,
        interval: 100,
      });
      return last(console);
    }

    test('begun at one that does not lead it looks at the chains of both, and each page says so', async () => {
      expect((await last(one)).verifiedAt).toBeNull();
      const found = await verified(other);
      expect(found).toMatchObject({ isGood: true, isSigned: true });
      const chains = await consoles.query<{ writer: string }>(
        'select writer from audit_chain order by writer',
      );
      expect(found.writers.map(({ writer }) => writer).toSorted()).toEqual(
        chains.map(({ writer }) => writer),
      );
      expect(chains).toHaveLength(2);
      expect(await last(one)).toEqual(found);
      for (const console of [one, other]) {
        const page = await (await consoles.browser(console)).get('/observe/audit');
        expect(shown(page)).toMatch(/Intact ?\. Verified .* entries\. Up to entry \w+-\d+/);
      }
      await vi.waitFor(
        async () => expect(await consoles.entries(other, '?event=audit.verified')).toHaveLength(1),
        20_000,
      );
    });

    test('what was changed in the rows of one is found from the browser at the other, and outlives a console', async () => {
      await consoles.query(`update audit_entry set actor = actor + 1 where (chain, seq) in
      (select chain, max(seq) from audit_entry where actor is not null group by chain order by chain limit 1)`);
      const [changed] = await consoles.query<{ writer: string; seq: string }>(
        `select writer, (select max(entry.seq) from audit_entry entry
        where entry.chain = audit_chain.id and actor is not null) as seq from audit_chain order by id limit 1`,
      );
      const ada = await consoles.browser(other);
      const before = (await last(other)).verifiedAt;
      await sendForm(ada, await ada.get('/observe/audit'), 'verify');
      await vi.waitFor(async () => expect((await last(other)).verifiedAt).not.toBe(before), {
        timeout: 30_000,
        interval: 100,
      });
      const found = await last(other);
      expect(found).toMatchObject({
        isGood: false,
        writers: [{ verdict: expect.any(String) }, { verdict: expect.any(String) }],
      });
      const { writers } = found as { writers: readonly { verdict: string; writer: string }[] };
      expect(writers).toContainEqual(
        expect.objectContaining({ verdict: 'changed', writer: changed!.writer }),
      );
      expect(shown(await ada.get('/observe/audit'))).toMatch(/Altered .*Changed \d+/);
      await one.stop();
      expect(await last(other)).toEqual(found);
    });
  },
);
