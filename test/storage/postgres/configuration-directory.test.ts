/** `CONSOLE_CONFIG_DIR` at consoles on one PostgreSQL: the one that leads applies its files, the others say what theirs are. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runTool } from '../../helpers/commands.ts';
import { apiToken, freePort, type RunningConsole, startConsole, untilReady } from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

interface Directory {
  readonly state: string | null;
  readonly console: string | null;
  readonly consoles: readonly object[];
}

describe.skipIf(postgresPrograms === undefined)('consoles on PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  const running: RunningConsole[] = [];
  const directories: string[] = [];

  beforeAll(async () => {
    [postgres, front] = await Promise.all([startPostgres(), startLoadBalancer()]);
  }, 60_000);
  afterEach(async () => {
    for (const { child } of running) child.kill('SIGCONT');
    await Promise.all(running.splice(0).map((console) => console.stop()));
    await Promise.all(directories.splice(0).map((path) => rm(path, { recursive: true, force: true })));
  }, 60_000);
  afterAll(async () => {
    await front?.close();
    await postgres?.close();
  });

  const rolesOf = (names: readonly string[]) =>
    `version: 1\nsource: team\nroles:\n${names.map((name) => `  ${name}: { permissions: [svc:health:read] }\n`).join('')}`;
  const put = (directory: string, names: readonly string[]) =>
    writeFile(join(directory, 'a.yaml'), rolesOf(names));

  async function newDirectory(names: readonly string[]): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'console-configuration-'));
    directories.push(directory);
    await put(directory, names);
    return directory;
  }

  /** The first one of a database leads. */
  async function started(database: string, directory?: string): Promise<RunningConsole> {
    const console = await startConsole({
      isFirstStart: true,
      port: await freePort(),
      env: {
        CONSOLE_URL: front.url,
        CONSOLE_DATABASE_URL: postgres.url(database),
        CONSOLE_CONFIG_DIR: directory,
      },
    });
    running.push(console);
    front.choose(console.port);
    return console;
  }

  const read = async <Body>({ port }: RunningConsole, path: string, method = 'GET') => {
    const headers = { Authorization: `Bearer ${await apiToken(front)}` };
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, { method, headers });
    return (await reply.json()) as Body;
  };
  const roles = async (console: RunningConsole) => {
    const { items } = await read<{ items: readonly { id: string; owner: { source: string | null } }[] }>(
      console,
      'roles?limit=100',
    );
    return items
      .filter(({ owner }) => owner.source === 'team')
      .map(({ id }) => id)
      .sort();
  };
  const directoryAt = (console: RunningConsole) => read<Directory>(console, 'configuration/directory');
  const findings = async (console: RunningConsole) =>
    (
      await read<{ findings: readonly { check: string; state: string; reason: string }[] }>(
        console,
        'health/run',
        'POST',
      )
    ).findings.filter(({ check }) => check === 'configuration');
  const applied = ({ log }: RunningConsole) =>
    log().filter(({ audit, event }) => audit === true && event === 'configuration.applied').length;
  const nameOf = ({ port }: RunningConsole) => `${hostname()}:${port}`;
  const patience = { timeout: 20_000, interval: 200 };

  test('one that starts with other files while another one leads changes nothing until it leads itself, and all say whose files differ', async () => {
    const database = await postgres.createDatabase();
    const leader = await started(database, await newDirectory(['added', 'kept']));
    const older = await newDirectory(['gone', 'kept']);
    const late = await started(database, older);
    expect(await roles(late)).toEqual(['added', 'kept']);
    await untilReady(`http://127.0.0.1:${late.port}`);
    const [one, other] = [nameOf(leader), nameOf(late)];
    const there = { name: one, isLeading: true, path: expect.any(String), differs: false, files: [] };
    const here = { name: other, isLeading: false, path: older, differs: true, files: ['a.yaml'] };
    await expect
      .poll(() => directoryAt(late), patience)
      .toMatchObject({ path: older, state: 'applied', console: one, consoles: [here, there] });
    await expect
      .poll(() => directoryAt(leader), patience)
      .toMatchObject({ state: 'applied', console: one, consoles: [there, here] });
    const says = `Files of CONSOLE_CONFIG_DIR differ: those of ${one} are in force, those of ${other} are not.`;
    for (const console of [leader, late])
      expect(await findings(console)).toEqual([
        expect.objectContaining({ state: 'ok' }),
        expect.objectContaining({ state: 'warning', reason: says }),
      ]);
    const { dataDir } = late;
    const told = await runTool(['config', 'status'], { dataDir });
    expect([told.code, told.stdout]).toEqual([0, expect.stringMatching(/^console +\S+$/m)]);
    expect(told.stdout).toContain(`${other} has others: a.yaml`);
    const doctor = await runTool(['doctor'], { dataDir });
    expect(doctor.stdout).toContain(`${other} (a.yaml)`);

    await leader.stop();
    await expect.poll(() => roles(late), patience).toEqual(['gone', 'kept']);
    // Written behind what it is about.
    await expect.poll(() => directoryAt(late), patience).toMatchObject({ console: other, state: 'applied' });
    const same = await started(database, older);
    expect([applied(leader), applied(late), applied(same)]).toEqual([1, 1, 0]);
    await expect
      .poll(() => findings(same), patience)
      .toEqual([expect.objectContaining({ state: 'ok', reason: expect.stringContaining('in force') })]);
  }, 120_000);

  test('the files of the one that leads are followed alone; one that was stopped, and goes on when another one leads, applies nothing', async () => {
    const database = await postgres.createDatabase();
    const [one, other] = [await newDirectory(['kept']), await newDirectory(['kept'])];
    const first = await started(database, one);
    const second = await started(database, other);
    await put(other, ['elsewhere', 'kept']);
    await put(one, ['here', 'kept']);
    await expect.poll(() => roles(second), patience).toEqual(['here', 'kept']);
    await expect.poll(() => [applied(first), applied(second)], patience).toEqual([2, 0]);

    first.child.kill('SIGSTOP');
    await put(one, ['late']);
    await expect.poll(() => roles(second), patience).toEqual(['elsewhere', 'kept']);
    first.child.kill('SIGCONT');
    // Each takes longer than it takes to apply what has been still for so long.
    for (const name of ['next', 'last']) {
      await put(other, ['kept', name]);
      await expect.poll(() => roles(second), patience).toEqual(['kept', name]);
    }
    await expect
      .poll(() => directoryAt(first), patience)
      .toMatchObject({ state: 'applied', console: nameOf(second) });
    expect(applied(first)).toBe(2);
    expect(first.log().filter(({ event }) => event === 'configuration.refused')).toEqual([]);
  }, 120_000);

  test('started at once on an empty database, they answer when the files are in force; one without any says so, and what the one that leads refuses the others say too', async () => {
    const database = await postgres.createDatabase();
    const directory = await newDirectory(['one', 'two']);
    const both = await Promise.all([started(database, directory), started(database, directory)]);
    for (const console of both) expect(await roles(console)).toEqual(['one', 'two']);
    await expect.poll(() => both.map(applied).sort(), patience).toEqual([0, 1]);
    const bare = await started(database);
    const says = expect.stringContaining(`those of ${nameOf(bare)} are not.`);
    await expect
      .poll(() => findings(bare), patience)
      .toEqual([expect.objectContaining({ state: 'warning', reason: says })]);
    await bare.stop();
    front.choose(both[0]!.port);

    await writeFile(join(directory, 'a.yaml'), 'roles: [');
    for (const console of both) {
      await expect.poll(() => directoryAt(console), patience).toMatchObject({ state: 'refused' });
      await expect.poll(() => findings(console), patience).toMatchObject([{ state: 'problem' }]);
      expect(await roles(console)).toEqual(['one', 'two']);
    }
  }, 120_000);
});
