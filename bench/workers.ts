/** ES256 tokens of a console in two workers beside one in one process: what a second worker is worth. */
import { consoleIsBuilt, createDataDirs, registerClients, startConsole } from './console.ts';
import { type Benchmark, type Cell, cell, measure, ratio, sampleColumns, samplesTable } from './harness.ts';
import { httpRequest, load } from './load.ts';
import { limitProcessors } from './processor-share.ts';
import { childrenOf } from './processor-time.ts';
import { createServers, type ServerProcess } from './servers.ts';
import { tokenPath, tokenRequest } from './token.ts';

/** Of one processor, for each process: the owner of the store too. */
const share = 0.25;
const connections = 64;
const secondsPerCell = 3;
const warmUps = 4;

export const benchmark: Benchmark = {
  name: 'workers',
  async run({ rounds, nodeBinary }) {
    if (!consoleIsBuilt()) throw new Error('the console is not built: npm run build');
    using dataDirs = createDataDirs();
    await using servers = createServers({ nodeBinary });
    const start = async (name: string, workers: number): Promise<ServerProcess> => {
      const dataDir = dataDirs.path(name);
      await registerClients(dataDir, 0);
      return startConsole(servers, { name, dataDir, env: { CONSOLE_WORKERS: `${workers}` } });
    };
    const one = await start('one process', 1);
    const two = await start('two workers', 2);
    const cells = [tokenCell(one), tokenCell(two)] as const;
    for (let i = 0; i < warmUps; i++) for (const each of cells) await each.run();
    using shares = limitProcessors([one.pid, two.pid, ...childrenOf(two.pid)], share);
    const samples = await measure(cells, { rounds });
    const [toOne, ofTwo] = cells;
    return {
      title: `ES256 tokens in workers (${connections} connections)`,
      columns: ['server', ...sampleColumns],
      rows: samplesTable(cells, samples),
      ratios: [
        ratio('two workers / one process, by processor time', samples, {
          of: ofTwo,
          to: toOne,
          figure: 'cpuRate',
        }),
        ratio('two workers / one process, by rate', samples, {
          of: ofTwo,
          to: toOne,
          figure: 'rate',
          ...(shares && { atLeast: 1.8 }),
        }),
      ],
      notes: [
        shares
          ? `Each process, the owner of the store too, is held to ${share} of a processor. Processor time is that of all of them.`
          : 'Processes could not be held to a share of a processor here (that takes control groups, and the right to make them), so only processor time says something.',
      ],
    };
  },
};

function tokenCell(server: ServerProcess): Cell {
  const { headers, body } = tokenRequest('ES256');
  const request = httpRequest('POST', tokenPath, { host: new URL(server.url).host, ...headers }, body);
  return cell(server, [server.name], () =>
    load({ url: server.url, request, connections, seconds: secondsPerCell }),
  );
}
