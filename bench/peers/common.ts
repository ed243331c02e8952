import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export const clientId = 'application-client';
export const es256ClientId = 'application-client-es256';
/** Of the benchmark's own servers on loopback, which live for minutes. */
export const clientSecret = 'benchmark-only-3f9a1c5e7b2d4860-a8c6e4';
export const issuer = 'http://localhost';
export const keyId = 'bench';
export const audience = 'http://localhost/svc';
export const applicationScopes = 'openid email profile app:Viewer app:MetricsViewer';

/** Serves on a free loopback port and tells the harness where. */
export function listen(listener: RequestListener): void {
  const server = createServer(listener).listen(0, '127.0.0.1', () => {
    process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  process.once('SIGTERM', () => process.exit(0));
}
