/** A bare oidc-provider with its in-memory adapter: what the library does without the console around it. */
import { type Configuration, errors, Provider } from 'oidc-provider';
import { applicationScopes, audience, clientId, clientSecret, es256ClientId, listen } from './common.ts';
import { newPrivateJwks } from './keys.ts';

const roleScopes = new Map([
  ['app:Viewer', 'Viewer'],
  ['app:MetricsViewer', 'MetricsViewer'],
]);

const machine = {
  client_secret: clientSecret,
  grant_types: ['client_credentials'],
  response_types: [] as never[],
};

const configuration: Configuration = {
  jwks: { keys: await newPrivateJwks() },
  clients: [
    { ...machine, client_id: clientId, redirect_uris: [] },
    { ...machine, client_id: es256ClientId, redirect_uris: [] },
  ],
  cookies: { keys: ['bench'] },
  routes: { token: '/oauth2/token' },
  responseTypes: ['code'],
  scopes: ['openid', 'email', 'profile', 'offline_access'],
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      getResourceServerInfo: (_ctx, resource, client) => {
        if (resource !== audience) throw new errors.InvalidTarget();
        const alg = client.clientId === es256ClientId ? 'ES256' : 'RS256';
        return { scope: applicationScopes, audience, accessTokenFormat: 'jwt', jwt: { sign: { alg } } };
      },
    },
  },
  extraTokenClaims: (ctx, token) => {
    const asked = String(ctx.oidc.params?.scope ?? '')
      .split(' ')
      .filter((scope) => scope.startsWith('app'));
    const roles = asked.map((scope) => roleScopes.get(scope));
    if (roles.includes(undefined)) throw new errors.InvalidScope('unsupported role scope', asked.join(' '));
    const given = roles.length > 0 ? roles : ['Admin'];
    const name = token.clientId;
    return {
      roles: given,
      realm_access: { roles: given },
      clientId: name,
      preferred_username: name,
      email: name,
    };
  },
  formats: {
    customizers: {
      jwt: (_ctx, _token, jwt) => {
        jwt.header = { ...jwt.header, typ: 'JWT' };
      },
    },
  },
  ttl: { ClientCredentials: 300 },
};

const provider = new Provider('http://localhost', configuration);
listen(provider.callback());
