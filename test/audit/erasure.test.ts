/** What one entry says is erased: nobody finds it any more, the chain checks, and whoever forges that is found out. */
import { createPublicKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChain, entryHash, hashText } from '../../console/audit/chain.ts';
import { createEntryBody, type EntryFields } from '../../console/audit/entry.ts';
import { erasedLine } from '../../console/audit/erased-entry.ts';
import { entriesOf, lineOf } from '../../console/audit/segments/segment-reader.ts';
import { verifyAudit } from '../../console/audit/verify/verify.ts';
import { openWriter } from '../../console/audit/writer.ts';
import { type CallApi, callsWith } from '../admin-api/client-support.ts';
import { storedEntries } from '../helpers/audit.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { admin, apiToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { newAuditDirectory, signedIn, start } from './support.ts';

const reason = 'request of the person';
const password = 'correct-staple-battery-9';

function verified({ dataDir }: Pick<RunningConsole, 'dataDir'>) {
  const directory = join(dataDir, 'audit');
  const publicKey = createPublicKey(readFileSync(join(directory, 'checkpoint-key.pem')));
  return verifyAudit({ directory, publicKey, anchors: [] });
}

/** All that the files say, decompressed. */
function textOf({ dataDir }: Pick<RunningConsole, 'dataDir'>): string {
  return storedEntries(dataDir)
    .map((entry) => JSON.stringify(entry))
    .join('\n');
}

async function entryOfClient(api: CallApi, id: string): Promise<string> {
  const { body } = await api('GET', `/audit?object=client:${id}&event=client.added`);
  return body.items[0].id;
}

/** As a person who has signed in. */
async function personIn(running: RunningConsole, credentials: typeof admin): Promise<CallApi> {
  const asked = { resource: `${running.url}/api` };
  const agent = createUserAgent(running.url);
  const { access_token: token } = await signInForTokens(running, agent, asked, credentials);
  return callsWith(running, () => token!);
}

describe.each([1, 2])('with %i processes that answer', (workers) => {
  let running: RunningConsole;
  let api: CallApi;

  beforeAll(async () => {
    running = await startConsole({ env: { CONSOLE_WORKERS: String(workers) } });
    const token = await apiToken(running);
    api = callsWith(running, () => token);
    for (const [id, displayName] of [
      ['one', 'Zebra Crossing'],
      ['two', 'Yellow Brick'],
      ['three', 'Xylophone Row'],
    ])
      expect((await api('POST', '/clients', { id, displayName, scopes: ['svc:health:read'] })).status).toBe(
        201,
      );
  }, 60_000);
  afterAll(() => running?.stop());

  const latest = async () => JSON.stringify((await api('GET', '/audit/latest?limit=20')).body);

  test('it is in no answer, file or index any more, the chain is whole, and an entry says who wanted it', async () => {
    const id = await entryOfClient(api, 'one');
    expect(textOf(running)).toContain('Zebra');
    expect(await latest()).toContain('Zebra');
    expect(await api('POST', `/audit/${id}/erase`, { reason })).toMatchObject({ status: 204 });
    expect(textOf(running)).not.toContain('Zebra');
    expect(await latest()).not.toContain('Zebra');
    expect((await api('GET', `/audit/${id}`)).status).toBe(404);
    expect((await api('GET', '/audit?object=client:one&event=client.added')).body.items).toEqual([]);
    const [said] = (await api('GET', '/audit?event=audit.erased')).body.items;
    expect(said).toMatchObject({
      outcome: 'success',
      actor: { kind: 'client', via: 'api' },
      object: { id },
      reason,
    });
    const { isGood, writers } = verified(running);
    expect({ isGood, erased: writers.map(({ erased }) => erased) }).toEqual({ isGood: true, erased: [1] });
    expect((await api('POST', `/audit/${id}/erase`, { reason })).status).toBe(404);
    expect((await api('POST', `/audit/${said.id}/erase`, { reason })).body).toMatchObject({
      code: 'conflict',
    });
    expect((await api('GET', `/audit/${said.id}`)).status).toBe(200);
  });

  test('of a closed file too, by a command; who reads it around there finds the others', async () => {
    // The file of the first erasure is closed; that of this one is not.
    const [two, three] = [await entryOfClient(api, 'two'), await entryOfClient(api, 'three')];
    const url = ['--reason', reason, '--yes', '--data-dir', running.dataDir];
    expect((await toolDone(['audit', 'erase', two, ...url])).stdout).toBe(`Erased ${two}.\n`);
    expect(textOf(running)).not.toContain('Yellow');
    expect((await api('GET', `/audit/${three}`)).body.change.displayName.to).toBe('Xylophone Row');
    expect((await runTool(['audit', 'erase', two, ...url])).stderr).toContain('no entry of this id');
    const report = await toolDone(['audit', 'verify', join(running.dataDir, 'audit')]);
    expect(report.stdout).toMatch(/\b2 erased/);
  });

  test('nor has an export it, whose chain is whole', async () => {
    const answer = await fetch(`${running.url}/api/v1/audit/export?event=client.*`, {
      headers: { Authorization: `Bearer ${await apiToken(running)}` },
    });
    const lines = (await answer.text()).trim().split('\n');
    expect(lines.join('\n')).not.toMatch(/Zebra|Yellow/);
    const { export: head } = JSON.parse(lines[0]!);
    const chain = createChain(Buffer.from(head.previous, 'base64url'));
    const [stored] = [...entriesOf(join(running.dataDir, 'audit'), head.writer)].slice(-1);
    const links = new Set<string>();
    for (const line of lines.slice(1)) {
      const { leftOut } = JSON.parse(line);
      for (const e of leftOut?.e ?? [hashText(entryHash(line))]) {
        chain.addHash(Buffer.from(e, 'base64url'));
        links.add(chain.linkText());
      }
    }
    expect(stored).toBeDefined();
    const known = new Set(
      [...entriesOf(join(running.dataDir, 'audit'), head.writer)].map((one) =>
        one.stored.toString('latin1', 0, 16),
      ),
    );
    expect([...links].filter((link) => !known.has(link))).toEqual([]);
  });

  test('a dry run and who may not erase change nothing', async () => {
    const id = await entryOfClient(api, 'three');
    const user = { id: 'vera', password, roles: ['Viewer'] };
    expect((await api('POST', '/users', user)).status).toBe(201);
    const asViewer = await personIn(running, { username: 'vera', password });
    expect((await asViewer('POST', `/audit/${id}/erase`, { reason })).status).toBe(403);
    expect((await api('POST', `/audit/${id}/erase`, { reason: '' })).status).toBe(400);
    expect((await api('POST', `/audit/${id}/erase?dryRun=true`, { reason })).status).toBe(200);
    expect((await api('GET', `/audit/${id}`)).status).toBe(200);
  });
});

test('where the setting asks for it a second administrator agrees first, and both are in the entry', async () => {
  const dataDir = await usedDataDir();
  const before = await startConsole({ dataDir });
  // Who makes an administrator needs another one too, once the setting is there.
  const first = await personIn(before, admin);
  expect((await first('POST', '/users', { id: 'bob', password, roles: ['Admin'] })).status).toBe(201);
  await before.stop();
  const running = await startConsole({ dataDir, env: { CONSOLE_APPROVALS_REQUIRE: 'eraseAuditEntry' } });
  try {
    const api = await personIn(running, admin);
    await api('POST', '/clients', { id: 'one', displayName: 'Zebra Crossing', scopes: ['svc:health:read'] });
    const id = await entryOfClient(api, 'one');
    const asked = await api('POST', `/audit/${id}/erase`, { reason });
    expect(asked).toMatchObject({ status: 202, body: { state: 'waiting' } });
    expect(textOf(running)).toContain('Zebra');
    const bob = await personIn(running, { username: 'bob', password });
    const approved = await bob('POST', `/approvals/${asked.body.id}/approve`);
    expect(approved).toMatchObject({ status: 200, body: { state: 'approved' } });
    expect(textOf(running)).not.toContain('Zebra');
    const [said] = (await api('GET', '/audit?event=audit.erased')).body.items;
    expect(said).toMatchObject({ outcome: 'success', approval: asked.body.id, reason });
    expect(verified(running).isGood).toBe(true);
  } finally {
    await running.stop();
  }
});

describe('a forged one', () => {
  const writer = 'w7k2abcd';

  async function auditWith(fields: readonly EntryFields[]): Promise<{ directory: string; file: string }> {
    const directory = await newAuditDirectory();
    const open = openWriter({ directory, writer, now: () => start, onCheckpoint() {}, onFull() {} });
    const bodyOf = createEntryBody();
    for (const one of fields) open.add(bodyOf(one, start));
    open.close();
    return { directory, file: join(directory, writer, '00000001.log') };
  }

  /** As the console would, with its hash: the chain checks. */
  async function erase({ directory, file }: { directory: string; file: string }, seq: number, more = '') {
    const entry = [...entriesOf(directory, writer)].find((one) => one.seq === seq)!;
    const line = erasedLine(writer, seq, entryHash(lineOf(entry))).replace(/\}$/, `${more}}`);
    writeFileSync(file, readFileSync(file, 'utf8').replace(lineOf(entry), line));
  }

  const said = (outcome: EntryFields['outcome']): EntryFields => ({
    event: 'audit.erased',
    outcome,
    detail: { writer, seq: 3 },
  });
  const entries = [1, 2, 3, 4].map(signedIn);

  test.each([
    { by: 'nobody', more: [], found: { isGood: false, verdict: 'removed' } },
    { by: 'somebody who was refused', more: [said('denied')], found: { isGood: false, verdict: 'removed' } },
    { by: 'somebody whose entry is there', more: [said('success')], found: { isGood: true, verdict: 'ok' } },
  ])('by $by', async ({ more, found }) => {
    const audit = await auditWith([...entries, ...more]);
    await erase(audit, 3);
    const { isGood, writers } = verifyAudit({ ...audit, publicKey: undefined, anchors: [] });
    const verdict = writers[0]!.verdict === 'unsigned_tail' ? 'ok' : writers[0]!.verdict;
    expect({ isGood, verdict, ...(!isGood && { seq: writers[0]!.seq }) }).toEqual({
      ...found,
      ...(!found.isGood && { seq: 3 }),
    });
  });

  test('that says something of its own', async () => {
    const audit = await auditWith([...entries, said('success')]);
    await erase(audit, 3, ',"event":"login","outcome":"success"');
    const { isGood, writers } = verifyAudit({ ...audit, publicKey: undefined, anchors: [] });
    expect({ isGood, verdict: writers[0]!.verdict, seq: writers[0]!.seq }).toEqual({
      isGood: false,
      verdict: 'changed',
      seq: 3,
    });
  });
});
