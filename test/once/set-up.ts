/**
 * What the files of a run share, because its start costs seconds: a browser, Keycloak, the package, and the data
 * directory of a console that has run once. Each is started when the first file asks for it, and ends with the run.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressVariable, type Shared } from './ask.ts';

interface Started<T> {
  readonly answer: T;
  stop(): Promise<unknown>;
}

const starters: { readonly [Name in keyof Shared]: () => Promise<Started<Shared[Name]>> } = {
  async browser() {
    const { startBrowser } = await import('../helpers/browser.ts');
    return startBrowser();
  },
  async 'data-directory'() {
    const { makeUsedDataDir } = await import('./used-data-directory.ts');
    return makeUsedDataDir();
  },
  async keycloak() {
    const { startKeycloak } = await import('../peers/support/keycloak.ts');
    return startKeycloak();
  },
  async package() {
    const { makePackage } = await import('./package.ts');
    return makePackage();
  },
};

/** @returns what ends the run's own processes */
export default async function setUp(): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Started<unknown>>>();
  const start = (name: string): Promise<Started<unknown>> => {
    const one = started.get(name) ?? starters[name as keyof Shared]();
    started.set(name, one);
    return one;
  };
  const server = createServer(async (req, res) => {
    const [status, answer] = await start(req.url!.slice(1)).then(
      (one) => [200, one.answer] as const,
      (error: Error) => [500, error.message] as const,
    );
    // Nobody keeps the connection: one that is closed in the moment of the next question would be an error.
    res.writeHead(status, { Connection: 'close' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env[addressVariable] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async () => {
    delete process.env[addressVariable];
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const all = await Promise.allSettled(started.values());
    await Promise.all(all.map((one) => one.status === 'fulfilled' && one.value.stop()));
  };
}
