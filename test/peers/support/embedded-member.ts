/** The member of this project as a process of its own, with the groups that a test wants. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type EndpointGroup, endpointGroups } from '../../../platform/endpoint-groups.ts';
import { until } from '../../helpers/store.ts';

const program = resolve(import.meta.dirname, '../../../dist/member/main.js');

export interface EmbeddedMember {
  readonly address: string;
  stop(): Promise<void>;
}

/** @throws {Error} with what it wrote when it does not come up */
export async function startEmbeddedMember(groups: readonly EndpointGroup[]): Promise<EmbeddedMember> {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-member-'));
  const file = join(folder, 'member.yaml');
  const switched = Object.fromEntries(
    endpointGroups.map((group) => [group, { enabled: groups.includes(group) }]),
  );
  const restApi = { enabled: true, 'endpoint-groups': switched };
  const config = { network: { 'rest-api': restApi }, map: { default: {} }, queue: { default: {} } };
  // What is JSON is YAML too.
  await writeFile(file, JSON.stringify({ svc: config }));
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, MEMBER_PORT: '0', MEMBER_HOST: '127.0.0.1', MEMBER_CONFIG: file },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (!hasEnded()) child.kill('SIGKILL');
    await closed;
    await rm(folder, { recursive: true, force: true });
  };
  const isUp = async () => {
    if (hasEnded()) throw new Error('it ended');
    return /member ready at \S+: /.test(output);
  };
  try {
    await until(isUp, 'the embedded member', 60_000);
  } catch (error) {
    await stop();
    throw new Error(`the embedded member did not start\n${output}`, { cause: error });
  }
  return { address: /member ready at (\S+):/.exec(output)![1]!, stop };
}
