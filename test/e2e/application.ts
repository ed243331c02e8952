/** An application as the console sees it: pages on a registered address that show what came back. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Application {
  /** Origin, as `SVC_MC_APP_ADDRESSES` names it. */
  readonly address: string;
  close(): Promise<unknown>;
}

/** Shows `?frame=<address>` in an iframe, and otherwise the query it was called with. */
export async function startApplication(): Promise<Application> {
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://localhost');
    const frame = url.searchParams.get('frame');
    const content =
      frame === null
        ? `<pre>${escapeHtml(url.search)}</pre>`
        : `<iframe src="${escapeHtml(frame)}"></iframe>`;
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(
      `<!doctype html><title>${escapeHtml(url.pathname)}</title><link rel="icon" href="data:,">${content}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
