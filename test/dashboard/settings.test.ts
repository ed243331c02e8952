import { describe, expect, test } from 'vitest';
import { loadSettings, SettingsError } from '../../dashboard/settings.ts';
import { runFailingDashboard } from './support.ts';

describe('settings', () => {
  test('are the documented defaults when nothing is set', () => {
    expect(loadSettings({})).toEqual({
      issuer: 'http://localhost:8080',
      jwksUri: 'http://localhost:8080/oauth2/jwks',
      requiresHttps: false,
      addresses: ['http://localhost:9021'],
      audience: 'http://localhost:8080/svc',
      host: undefined,
      port: 9021,
      queues: ['jobs'],
      entries: [],
      renewBeforeSeconds: undefined,
    });
  });

  test.each([
    ['APP_SECURITY_OPENIDP_JWKSURI'],
    ['APP_SECURITY_OPENIDP_JWKS_URI'],
    ['app.security.openIdp.jwks-uri'],
  ])('%s names the key set', (name) => {
    expect(loadSettings({ [name]: 'http://console:8080/oauth2/jwks' }).jwksUri).toBe(
      'http://console:8080/oauth2/jwks',
    );
  });

  test('entries of maps are named by map and key, which may have slashes', () => {
    expect(loadSettings({ APP_METRICS_ENTRIES: 'orders/a1, orders/a/b' }).entries).toEqual([
      { map: 'orders', key: 'a1' },
      { map: 'orders', key: 'a/b' },
    ]);
  });

  test('a flag wins over the environment', () => {
    const env = { APP_SECURITY_OPENIDP_ISSUERURL: 'http://localhost:1' };
    const { issuer, jwksUri } = loadSettings(env, ['--app.security.openIdp.issuerUrl=http://localhost:2']);
    expect([issuer, jwksUri]).toEqual(['http://localhost:2', 'http://localhost:2/oauth2/jwks']);
  });

  test.each([
    [{ APP_SECURITY_OPENIDP_ISSUERURL: 'localhost:8080' }, 'must be an http or https address'],
    [{ APP_SECURITY_OPENIDP_ISSUERURL: 'http://u:p@localhost' }, 'without user'],
    [{ APP_SECURITY_OPENIDP_REQUIREHTTPS: 'yes' }, 'must be true or false'],
    [{ APP_SECURITY_OPENIDP_REQUIREHTTPS: 'true' }, 'http://localhost:8080 is not https'],
    [{ APP_SECURITY_OPENIDP_REQIREHTTPS: 'true' }, 'APP_SECURITY_OPENIDP_REQIREHTTPS is not a setting'],
    [{ SVC_MC_APP_ADDRESSES: 'http://localhost:9021/app' }, 'without a path'],
    [{ APP_METRICS_ENTRIES: 'orders/a1,orders' }, 'must list entries as map/key'],
    [{ APP_SERVER_PORT: '99999' }, 'from 1 to 65535'],
  ])('%j is refused: %s', (env, reason) => {
    expect(() => loadSettings(env)).toThrow(SettingsError);
    expect(() => loadSettings(env)).toThrow(reason);
  });

  test('the process names every problem at once and exits with 78', async () => {
    const env = { APP_SECURITY_OPENIDP_ISSUERURL: 'nowhere', APP_SERVER_PORT: 'x' };
    const { code, output } = await runFailingDashboard(env, ['--oops']);
    expect(code).toBe(78);
    expect(output).toContain('issuerUrl must be');
    expect(output).toContain('app.server.port must be');
    expect(output).toContain('--oops is not understood');
  });
});
