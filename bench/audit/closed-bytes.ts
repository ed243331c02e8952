/** The disk that the entries of a console take once their file is closed. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { closeSegment } from '../../console/audit/segments/segment-closing.ts';
import { entriesOfSegment, segmentsOf, writersOf } from '../../console/audit/segments/segment-reader.ts';
import { startConsole } from '../console.ts';
import { httpRequest, load } from '../load.ts';
import type { Servers } from '../servers.ts';
import { tokenPath, tokenRequest } from '../token.ts';

const seconds = 2;

/** Tokens and writing calls, as many of each. @returns bytes of one entry */
export async function closedBytesOfConsole(servers: Servers, dataDir: string): Promise<number> {
  const server = await startConsole(servers, { name: 'console that writes', dataDir });
  const { headers, body } = tokenRequest('RS256');
  const { host } = new URL(server.url);
  const token = httpRequest('POST', tokenPath, { host, ...headers }, body);
  const { requests } = await load({ url: server.url, request: token, connections: 16, seconds });
  const granted = await fetch(server.url + tokenPath, { method: 'POST', headers, body });
  const { access_token: bearer } = (await granted.json()) as { readonly access_token: string };
  let called = 0;
  while (called < requests) {
    const next = () =>
      httpRequest(
        'POST',
        `/svc/rest/maps/orders/${called++}`,
        { host, authorization: `Bearer ${bearer}` },
        'v',
      );
    await load({ url: server.url, request: next, connections: 16, seconds: seconds / 4 });
  }
  await server.stop();
  const directory = join(dataDir, 'audit');
  const [writer] = writersOf(directory);
  const [segment] = segmentsOf(directory, writer!);
  let count = 0;
  const entries = function* () {
    for (const entry of entriesOfSegment(segment!, writer!, {})) {
      count++;
      yield entry;
    }
  };
  await closeSegment({ segment: segment!, header: segment!.header!, entries: entries() });
  const [file] = readdirSync(join(directory, writer!));
  return statSync(join(directory, writer!, file!)).size / count;
}
