/** docs/operations.md: every command of it, one after the other, with a console that is stopped and started as it says. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { freePort } from '../helpers/ports.ts';
import { program, root, run, temporaryDirectory } from './support.ts';

const document = readFileSync(join(root, 'docs/operations.md'), 'utf8');
const blocks = [...document.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);

/** By what they begin with, and why they are not pasted here. */
const elsewhere = {
  CONSOLE_OTLP_ENDPOINT: 'goes on until it is ended: test/telemetry/',
  'npm sbom': 'test/house/sbom.test.ts',
  'npm audit': 'asks a registry for what is known on that day',
};

let console: RunningConsole;
let control: Server;
let start: () => Promise<RunningConsole>;
beforeAll(async () => {
  const [dataDir, port] = [await usedDataDir(), await freePort()];
  start = () => startConsole({ dataDir, port });
  console = await start();
  await toolDone(['client', 'add', 'orders', '--scope', 'svc:map:orders:read'], { dataDir });
  // What systemctl does, for those who ask it in a shell.
  control = createServer(async (req, res) => {
    if (req.url !== '/start') await console.stop();
    if (req.url !== '/stop') console = await start();
    res.end();
  });
  await new Promise<void>((done) => control.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  control?.close();
  await console?.stop();
});

test('every command works when pasted, one after the other', async () => {
  const folder = temporaryDirectory();
  const skipped = blocks.filter((block) => Object.keys(elsewhere).some((begin) => block.startsWith(begin)));
  expect(skipped).toHaveLength(Object.keys(elsewhere).length);
  const pasted = blocks.filter((block) => !skipped.includes(block));
  expect(pasted.length).toBeGreaterThan(9);
  for (const block of pasted) {
    const { code, stdout, stderr } = await paste(
      block.replaceAll('/var/lib/cluster-console-backup', folder),
      folder,
    );
    expect(code, `${block}${stdout}${stderr}`).toBe(0);
    if (block.includes('console doctor')) expect(stdout).toMatch(/^Problems: \d+|^Nothing/m);
  }
}, 400_000);

test('every command of its tables and sentences is one that there is', async () => {
  const known = await knownCommands();
  const named = [...document.matchAll(/`npx console ([a-z][a-z -]*[a-z])/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(10);
  const isKnown = (name: string) => known.some((one) => name === one || name.startsWith(`${one} `));
  expect(named.filter((name) => !isKnown(name))).toEqual([]);
});

test('so is each that a document names by its object and verb alone', async () => {
  const known = await knownCommands();
  const objects = new Set(known.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0]!));
  // Of another program, and lines of the log.
  const others = ['user create', 'cluster add', 'member answers', 'member is', 'member cannot'];
  const unknown: string[] = [];
  let count = 0;
  for (const file of readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(join(root, 'docs', file), 'utf8').replace(/```[\s\S]*?```/g, '');
    for (const [, object, verb] of text.matchAll(/`([a-z-]+) ([a-z-]+)[^`]*`/g)) {
      const name = `${object} ${verb}`;
      if (!objects.has(object!) || known.includes(object!) || others.includes(name)) continue;
      count += 1;
      if (!known.includes(name)) unknown.push(`${file}: ${name}`);
    }
  }
  expect(unknown).toEqual([]);
  expect(count).toBeGreaterThan(50);
});

test('every code of its tables is one of docs/errors.md, or a word for a store', () => {
  const errors = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  const table = document.slice(
    document.indexOf('## Troubleshoot'),
    document.indexOf('## Come from elsewhere'),
  );
  const codes = [...table.matchAll(/^\| [^|]*\| ((?:`\w+`(?:, )?)+)/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, code]) => code!),
  );
  expect(codes.length).toBeGreaterThan(15);
  const words = ['locked', 'newer', 'full', 'read_only'];
  expect(codes.filter((code) => !errors.includes(`\`${code}\``) && !words.includes(code))).toEqual([]);
});

async function knownCommands(): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [program, 'help'], {});
  return [...stdout.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) {2,}/gm)].map(([, name]) => name!);
}

/** Stops at the first line that fails. */
function paste(lines: string, cwd: string) {
  const address = `http://127.0.0.1:${(control.address() as AddressInfo).port}`;
  const call = `"${process.execPath}" "${program}" "$@"`;
  const preamble = [
    'set -eo pipefail',
    // What the doctor finds is this machine's business: that it has looked is what counts.
    `npx() { shift; if [ "$1" = doctor ]; then ${call} || [ $? = 1 ]; else ${call}; fi; }`,
    `systemctl() { curl -fsS -X POST "${address}/$1"; }`,
  ];
  return run('bash', ['-c', [...preamble, lines].join('\n')], {
    dataDir: console.dataDir,
    env: { CONSOLE_URL: console.url },
    cwd,
  });
}
