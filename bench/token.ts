/**
 * Token issuance: client credentials at the console, beside a bare oidc-provider, a bare jose
 * server and the signature alone. Requests and claims are the same for all.
 */
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { consoleIsBuilt, createDataDirs, type DataDirs, registerClients, startConsole } from './console.ts';
import {
  type Benchmark,
  type Cell,
  cell,
  measure,
  type Ratio,
  ratio,
  type Samples,
  sampleColumns,
  samplesTable,
  tailRatio,
} from './harness.ts';
import { httpRequest, type LoadResult, load } from './load.ts';
import { clientId, clientSecret, es256ClientId } from './peers/common.ts';
import { createServers, peer, type ServerProcess, type Servers } from './servers.ts';

const algs = ['RS256', 'ES256'] as const;
const connectionCounts = [1, 16, 64] as const;
const secondsPerCell = 1;
/** Enough signatures in flight to keep the thread pool busy, as 64 connections do. */
const parallelSignatures = 64;
const manyClients = 10_000;
const manyClientsName = `console with ${manyClients} clients`;

export const tokenPath = '/oauth2/token';
const expectedClaims =
  'aud clientId client_id email exp iat iss jti preferred_username realm_access roles scope sub';

type Alg = (typeof algs)[number];

export const benchmark: Benchmark = {
  name: 'token',
  async run({ rounds, nodeBinary, nodeMajor }) {
    using dataDirs = createDataDirs();
    await using servers = createServers({ nodeBinary });
    const ready = /ready at (\S+)/;
    const signatures = await servers.start({ name: 'signatures', args: peer('signatures.ts'), ready });
    const library = await servers.start({
      name: 'bare oidc-provider',
      args: peer('oidc-provider.ts'),
      ready,
    });
    const jose = await servers.start({ name: 'bare jose', args: peer('jose.ts'), ready });
    const consoles = await startConsoles(servers, dataDirs);

    const raw = algs.flatMap((alg) => [
      signatureCell(signatures, alg, 0),
      signatureCell(signatures, alg, parallelSignatures),
    ]);
    const peers = [library, jose, ...(consoles ? [consoles.few] : [])];
    // The crowded console comes right behind its peer, so that whatever else the machine does meets both.
    const signers = { RS256: [...peers, ...(consoles ? [consoles.many] : [])], ES256: peers };
    const issuing = algs.flatMap((alg) =>
      connectionCounts.flatMap((connections) =>
        signers[alg].map((server) => tokenCell(server, alg, connections)),
      ),
    );
    const cells = [...raw, ...issuing];
    for (const server of peers) for (const alg of algs) await checkToken(server, alg);
    const samples = await measure(cells, { rounds });
    return {
      title: 'Token issuance (client credentials)',
      columns: ['server', 'algorithm', 'connections', ...sampleColumns],
      rows: samplesTable(cells, samples),
      ratios: compare(cells, samples, nodeMajor),
      notes: [
        'Raw signature rows: 0 connections is `crypto.sign` on the main thread, 64 is as many at a time on the thread pool.',
        ...(consoles ? [] : ['The console is not built here: its rows are left out.']),
      ],
    };
  },
};

interface Consoles {
  readonly few: ServerProcess;
  readonly many: ServerProcess;
}

async function startConsoles(servers: Servers, dataDirs: DataDirs): Promise<Consoles | undefined> {
  if (!consoleIsBuilt()) return undefined;
  const start = async (name: string, extraClients: number): Promise<ServerProcess> => {
    const dataDir = dataDirs.path(name);
    await registerClients(dataDir, extraClients);
    return startConsole(servers, { name, dataDir });
  };
  return { few: await start('console', 0), many: await start(manyClientsName, manyClients) };
}

function tokenCell(server: ServerProcess, alg: Alg, connections: number): Cell {
  const { headers, body } = tokenRequest(alg);
  const request = httpRequest('POST', tokenPath, { host: new URL(server.url).host, ...headers }, body);
  return cell(server, [server.name, alg, `${connections}`], () =>
    load({ url: server.url, request, connections, seconds: secondsPerCell }),
  );
}

/**
 * A comparison is worth something only when all sign the same.
 *
 * @throws {Error} when a server's token has another algorithm or other claims
 */
async function checkToken(server: ServerProcess, alg: Alg): Promise<void> {
  const response = await fetch(server.url + tokenPath, { method: 'POST', ...tokenRequest(alg) });
  const { access_token: token } = (await response.json()) as { access_token: string };
  const header = decodeProtectedHeader(token);
  const claims = Object.keys(decodeJwt(token)).sort().join(' ');
  if (header.alg !== alg || header.typ !== 'JWT' || claims !== expectedClaims) {
    throw new Error(`${server.name} signs ${JSON.stringify(header)} with the claims ${claims}`);
  }
}

export function tokenRequest(alg: Alg) {
  const id = alg === 'ES256' ? es256ClientId : clientId;
  return {
    headers: {
      authorization: `Basic ${Buffer.from(`${id}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials&scope=openid+email+profile',
  };
}

function signatureCell(server: ServerProcess, alg: Alg, parallel: number): Cell {
  const url = `${server.url}/?alg=${alg}&parallel=${parallel}&seconds=${secondsPerCell}`;
  const run = async (): Promise<LoadResult> => {
    const start = performance.now();
    const requests = Number(await (await fetch(url)).text());
    const seconds = (performance.now() - start) / 1000;
    return { requests, seconds, p50Ms: Number.NaN, p99Ms: Number.NaN };
  };
  return cell(server, ['raw signature', alg, `${parallel}`], run);
}

function compare(cells: readonly Cell[], samples: Samples, nodeMajor: number): Ratio[] {
  const rs256Goal = nodeMajor < 22 ? 0.65 : 0.75;
  const find = (...labels: string[]): Cell | undefined =>
    cells.find((each) => each.labels.every((label, index) => label === labels[index]));
  const ratios: Ratio[] = [];
  const add = (name: string, of: Cell | undefined, to: Cell | undefined, atLeast?: number): void => {
    if (of === undefined || to === undefined) return;
    ratios.push(
      ratio(name, samples, { of, to, figure: 'cpuRate', ...(atLeast !== undefined && { atLeast }) }),
    );
  };
  for (const alg of algs) {
    const raw = find('raw signature', alg, '64');
    const library = find('bare oidc-provider', alg, '64');
    const own = find('console', alg, '64');
    for (const name of ['bare oidc-provider', 'bare jose']) {
      add(`${alg}: ${name} / raw signature`, find(name, alg, '64'), raw);
    }
    add(`${alg}: console / raw signature`, own, raw, alg === 'RS256' ? rs256Goal : undefined);
    add(`${alg}: bare jose / bare oidc-provider`, find('bare jose', alg, '64'), library);
    add(`${alg}: console / bare oidc-provider`, own, library, alg === 'ES256' ? 1.5 : undefined);
    add(`${alg}: console / bare jose`, own, find('bare jose', alg, '64'));
    if (own !== undefined) ratios.push(tailRatio(`${alg}: console, p99 / p50`, samples, own, 4));
  }
  add(
    `RS256: ${manyClientsName} / with 2`,
    find(manyClientsName, 'RS256', '64'),
    find('console', 'RS256', '64'),
    0.95,
  );
  return ratios;
}
