/** `packaging/monitoring/`: rules, board and scrape configuration, by Prometheus itself and by the numbers that there are. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../commands/support.ts';
import { toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { freePort } from '../helpers/ports.ts';
import { postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { until } from '../helpers/store.ts';
import { startProgram } from '../peers/support/program.ts';
import { addProxyClient, memberOf, type RunningProxy, startProxy } from '../proxy/support.ts';

const folder = join(root, 'packaging/monitoring');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const missing = ['/usr/bin/promtool', '/usr/bin/prometheus'].every((program) => existsSync(program))
  ? undefined
  : ' (skipped: there is no Prometheus here: apt-get install prometheus)';
const rules = parse(read('rules.yaml')).groups[0].rules as { alert: string; expr: string }[];
const board = JSON.parse(read('grafana-board.json'));

/** Of a console on a database. */
const ofDatabase = /^console_(database|leading|duty)_?/;

let console: RunningConsole;
let managementPort: number;
let proxy: RunningProxy;
let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'monitoring-'));
  // One of the numbers is there with a folder of configuration alone.
  const configuration = join(scratch, 'configuration');
  await mkdir(configuration);
  managementPort = await freePort();
  console = await startConsole({
    env: { CONSOLE_CONFIG_DIR: configuration, CONSOLE_MANAGEMENT_PORT: String(managementPort) },
  });
  proxy = await startProxy({
    console,
    client: await addProxyClient(console),
    members: [memberOf(console)],
  });
});
afterAll(async () => {
  await proxy?.stop();
  await console?.stop();
  await rm(scratch, { recursive: true, force: true });
});

test('every number that the rules and the board name is there at a console or a proxy', async () => {
  const texts = [...(await Promise.all([console.url, proxy.url].map(numbersAt))), await numbersOnDatabase()];
  const known = new Set(
    texts.flatMap((text) => [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name)),
  );
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...board.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    ),
  ];
  const named = new Set(expressions.flatMap((expr) => expr.match(/\b(?:console|process|nodejs)_\w+/g) ?? []));
  expect(named.size).toBeGreaterThan(20);
  const family = (name: string) => name.replace(/_(?:bucket|count|sum)$/, '');
  const isLeftOut = (name: string) => postgresPrograms === undefined && ofDatabase.test(name);
  const missing = [...named].filter((name) => !known.has(name) && !known.has(family(name)));
  expect(missing.filter((name) => !isLeftOut(name))).toEqual([]);
}, 120_000);

async function numbersAt(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

async function numbersOnDatabase(): Promise<string> {
  if (postgresPrograms === undefined) return '';
  const postgres = await startPostgres();
  try {
    const onDatabase = await startConsole({
      isFirstStart: true,
      env: { CONSOLE_DATABASE_URL: postgres.url(await postgres.createDatabase()) },
    });
    return await numbersAt(onDatabase.url).finally(onDatabase.stop);
  } finally {
    await postgres.close();
  }
}

test('every alert has a line in docs/operations.md that says what to do', () => {
  const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const lines = [...operations.matchAll(/^\| `(Console\w+)` \|/gm)].map(([, alert]) => alert!);
  expect(lines.sort()).toEqual(rules.map(({ alert }) => alert).sort());
});

describe.skipIf(missing)(`Prometheus${missing ?? ''}`, () => {
  test('takes the rules, and each of them comes when it should and not before', () => {
    const checked = spawnSync('promtool', ['check', 'rules', 'rules.yaml'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([checked.status, checked.stdout]).toEqual([
      0,
      expect.stringContaining(`${rules.length} rules found`),
    ]);
    const tested = spawnSync('promtool', ['test', 'rules', 'rules.test.yaml'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(tested, tested.stdout).toMatchObject({ status: 0 });
    const cases = parse(read('rules.test.yaml')).tests as { alert_rule_test: { alertname: string }[] }[];
    const covered = new Set(cases.flatMap((one) => one.alert_rule_test.map(({ alertname }) => alertname)));
    expect(rules.map(({ alert }) => alert).filter((name) => !covered.has(name))).toEqual([]);
  });

  test('asks console and proxy with a token of its own, takes every expression, and has no alert', async () => {
    const added = await toolDone(['client', 'add', 'prometheus', '--scope', 'app:MetricsViewer', '--json'], {
      dataDir: console.dataDir,
    });
    await writeFile(join(scratch, 'secret'), added.json<{ secret: string }>().secret);
    const configuration = replaced(read('prometheus.yaml'), {
      '15s': '1s',
      '/etc/prometheus/cluster-console-rules.yaml': join(folder, 'rules.yaml'),
      '/etc/prometheus/cluster-console.secret': join(scratch, 'secret'),
      'https://console.example.com': console.url,
      'scheme: https': 'scheme: http',
      '    tls_config:\n      server_name: console.example.com\n': '',
      "'console1.example.com:9443', 'console2.example.com:9443'": `'localhost:${managementPort}'`,
      "'proxy1.example.com:8081', 'proxy2.example.com:8082'": `'${new URL(proxy.url).host}'`,
    });
    const file = join(scratch, 'prometheus.yml');
    await writeFile(file, configuration);
    expect(spawnSync('promtool', ['check', 'config', file], { encoding: 'utf8' })).toMatchObject({
      status: 0,
    });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const options = [`--config.file=${file}`, `--storage.tsdb.path=${scratch}/tsdb`];
    const prometheus = await startProgram(
      'prometheus',
      [...options, `--web.listen-address=127.0.0.1:${port}`],
      {},
      () => isReady(`${url}/-/ready`),
    );
    try {
      const ask = async (expr: string) => {
        const reply = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
        return (await reply.json()) as { status: string; data: { result: { value: [number, string] }[] } };
      };
      const up = async () => (await ask('up == 1')).data?.result.length === 2;
      await until(up, 'both to be asked', 60_000);
      const expressions = board.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
        targets.map(({ expr }) => expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m')),
      );
      for (const expr of expressions) expect([expr, (await ask(expr)).status]).toEqual([expr, 'success']);
      expect((await ask('ALERTS')).data.result).toEqual([]);
    } finally {
      await prometheus.stop();
    }
  }, 120_000);
});

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

function replaced(text: string, by: Readonly<Record<string, string>>): string {
  return Object.entries(by).reduce((rest, [from, to]) => {
    if (!rest.includes(from)) throw new Error(`there is no ${from}`);
    return rest.replaceAll(from, to);
  }, text);
}
