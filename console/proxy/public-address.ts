import type { Settings } from '../settings/settings.ts';

/** Where callers find the proxy: as it was told, or where it listens. */
export function publicAddress({ proxyUrl, tls, host = 'localhost' }: Settings, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return proxyUrl ?? `${tls ? 'https' : 'http'}://${name}:${port}`;
}
