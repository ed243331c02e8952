import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadMemberConfig } from '../../member/config/load.ts';
import { startMember } from '../../member/member.ts';
import { call } from './support.ts';

/** YAML below `svc`: the calls that change the configuration are on, and those that show it. */
export const rest = `  network:
    join: { tcp-ip: { enabled: true, member-list: [a, "b:5701"] } }
    rest-api:
      enabled: true
      endpoint-groups: { DATA: { enabled: true }, CLUSTER_WRITE: { enabled: true }, WAN: { enabled: true } }
`;

/** A member that runs on a file of its own. */
export async function startOn(content: string, name = 'member.yaml') {
  const folder = await mkdtemp(join(tmpdir(), 'member-config-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, name);
  const text = content.replaceAll('BACKUPS', join(folder, 'backups'));
  await writeFile(file, text);
  const lines: string[] = [];
  const recordLine = (fields: object, message: string) =>
    void lines.push(JSON.stringify({ ...fields, message }));
  const log = { debug: recordLine, info: recordLine, warn: recordLine, error: recordLine };
  const config = loadMemberConfig(text, { file });
  const member = await startMember({ config, host: '127.0.0.1', port: 0, log });
  onTestFinished(() => member.close());
  const post = (path: string, body: string) => call(`${member.address}/svc/rest/${path}`, 'POST', { body });
  const get = (path: string) => call(`${member.address}/svc/rest/${path}`, 'GET');
  const remove = (path: string) => call(`${member.address}/svc/rest/${path}`, 'DELETE');
  const upload = (content: string) => post('config/upload', `dev&&${encodeURIComponent(content)}`);
  return { file, folder, lines, post, get, remove, upload };
}

/** As replies name what was added or ignored. */
export function rows(sectionName: string, ...names: string[]) {
  return names.map((configName) => ({ sectionName, configName }));
}
