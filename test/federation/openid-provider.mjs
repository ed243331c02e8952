// A bare oidc-provider in a process of its own, everything in memory: an OpenID provider that nobody here
// wrote. Argument: JSON with `clients`; `conformIdTokenClaims: false` puts e-mail and name into ID tokens too.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const { clients, conformIdTokenClaims = true } = JSON.parse(process.argv[2]);
const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients,
  conformIdTokenClaims,
  claims: {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['name', 'preferred_username'],
    groups: ['groups'],
  },
  scopes: ['openid', 'email', 'profile', 'groups'],
  features: { backchannelLogout: { enabled: true } },
  // The library calls no loopback address by itself; the console is there.
  fetch: (url, { dispatcher: _guard, ...options }) => globalThis.fetch(url, options),
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
  findAccount: (_ctx, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: `${id}@corp.example`,
      email_verified: true,
      name: 'Ada Lovelace',
      preferred_username: id,
      groups: ['operators', 'cn=admins,dc=example'],
    }),
  }),
  cookies: { keys: ['of a test'] },
});
server.on('request', provider.callback());
process.send({ issuer });
