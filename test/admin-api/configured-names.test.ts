/** Names of maps and queues from the configuration of the members: of the file of the own one, of what was sent, and of what was read anew. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createConfiguredStructures } from '../../console/members/configured-structures.ts';
import { StorageUnavailableError } from '../../console/storage/storage.ts';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, startWithAdmin } from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';
import { writeMemberConfig } from './member-config.ts';

interface Listed {
  readonly items: readonly { readonly id: string; readonly sources: readonly string[] }[];
}

const ofFile = `    of-the-file: {}
    "pattern-*": {}
    "two words": {}
  queue:
    default: {}
    queue-of-the-file: {}
`;

describe.each([{ workers: '1' }, { workers: '2' }])('with CONSOLE_WORKERS=$workers', ({ workers }) => {
  let console: RunningConsole;
  let ada: UserAgent;
  let file: string;

  beforeAll(async () => {
    file = writeMemberConfig();
    const yaml = await readFile(file, 'utf8');
    await writeFile(file, yaml.replace('  wan-replication:\n', `${ofFile}  wan-replication:\n`));
    const env = { MEMBER_CONFIG: file, CONSOLE_WORKERS: workers };
    ({ console, ada } = await startWithAdmin({ env }));
  }, 60_000);
  afterAll(() => console?.stop());

  const names = async (kind: 'maps' | 'queues') =>
    ((await callApi(console, 'GET', `/${kind}`)) as Listed).items
      .filter(({ sources }) => sources.includes('configuration'))
      .map(({ id }) => id);

  test('what the file of the own member names is listed, and patterns and defaults are not', async () => {
    expect(await names('maps')).toEqual(['of-the-file']);
    expect(await names('queues')).toEqual(['queue-of-the-file']);
    expect(textOf(await ada.get('/cluster/maps'))).toMatch(/of-the-file (?:\S+ )*?Configuration/);
    expect(textOf(await ada.get('/cluster/queues/queue-of-the-file'))).toContain('Known from Configuration');
  });

  test('what was sent from here is listed at once, and what it read anew', async () => {
    const config = 'svc:\n  map:\n    sent: {}\n    sent-*: {}\n  queue:\n    sent-queue: {}\n';
    await callApi(console, 'POST', '/operations/config', { config: config.replace('sent-*', '"sent-*"') });
    expect(await names('maps')).toEqual(['of-the-file', 'sent']);
    expect(await names('queues')).toEqual(['queue-of-the-file', 'sent-queue']);
    const yaml = await readFile(file, 'utf8');
    await writeFile(file, yaml.replace('    of-the-file: {}\n', '    of-the-file: {}\n    read-anew: {}\n'));
    await callApi(console, 'POST', '/operations/reload');
    expect(await names('maps')).toEqual(['of-the-file', 'read-anew', 'sent']);
  });
});

test('what another encryption key has closed names nothing, and a store that is away is told', async () => {
  const closed = createConfiguredStructures({ read: () => Promise.reject(new Error('closed')) });
  closed.useOwn({ map: ['own'], queue: [] });
  expect((await closed.of('map')).names).toEqual(['own']);
  const away = createConfiguredStructures({
    read: () => Promise.reject(new StorageUnavailableError('away')),
  });
  await expect(away.of('map')).rejects.toThrow(StorageUnavailableError);
});
