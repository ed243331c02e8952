/** An application without a server of its own: pages with oidc-client-ts, as any web server sends them. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';

export interface BrowserApplication {
  readonly url: string;
  /** Which console it signs in at, and as whom. */
  connect(settings: { readonly authority: string; readonly clientId: string }): void;
  close(): Promise<unknown>;
}

const pages = resolve(import.meta.dirname, '../browser-library');
const library = join(dirname(createRequire(import.meta.url).resolve('oidc-client-ts')), '../browser');

const files: Readonly<Record<string, string>> = {
  '/': join(pages, 'index.html'),
  '/app.js': join(pages, 'app.js'),
  '/silent-refresh.html': join(pages, 'silent-refresh.html'),
  '/silent-refresh.js': join(pages, 'silent-refresh.js'),
  '/oidc-client-ts.min.js': join(library, 'oidc-client-ts.min.js'),
};

export async function startBrowserApplication(): Promise<BrowserApplication> {
  let settings = '{}';
  const server = createServer((req, res) => {
    const path = new URL(req.url ?? '', 'http://localhost').pathname;
    if (path === '/settings.json') return res.end(settings);
    const file = files[path];
    if (file === undefined) return res.writeHead(404).end();
    res.setHeader('Content-Type', file.endsWith('.html') ? 'text/html' : 'text/javascript');
    return res.end(readFileSync(file));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    connect(given) {
      settings = JSON.stringify(given);
    },
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
