import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { freePort } from '../helpers/console.ts';
import { startDashboard, startTestIssuer } from './support.ts';

test('behind an https address cookies are __Host- named and Secure, and pages carry HSTS (S51) (S33)', async () => {
  const issuer = await startTestIssuer();
  const port = await freePort();
  const dashboard = await startDashboard({
    env: {
      APP_SECURITY_OPENIDP_ISSUERURL: issuer.url,
      SVC_MC_APP_ADDRESSES: 'https://one.example,https://two.example:8443',
      APP_SERVER_PORT: String(port),
    },
  });
  try {
    const { headers } = await get(port, '/login', 'two.example:8443');
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-dashboard_browser_8443=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    const redirectUri = (location: string | undefined) => new URL(location!).searchParams.get('redirect_uri');
    expect(redirectUri(headers.location)).toBe('https://two.example:8443/login/callback');
    const other = await get(port, '/login', 'internal:9021');
    expect(redirectUri(other.headers.location)).toBe('https://one.example/login/callback');
    const page = await get(port, '/?state=signed-out', 'one.example');
    expect([page.statusCode, page.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
  } finally {
    await dashboard.stop();
    await issuer.stop();
  }
});

function get(port: number, path: string, host: string) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { host, accept: 'text/html' };
    request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response));
    })
      .on('error', reject)
      .end();
  });
}
