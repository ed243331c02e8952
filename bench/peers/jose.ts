/**
 * A bare `node:http` server that checks a client secret and signs with jose: the floor that a
 * token endpoint in this runtime can approach. No OAuth beyond what the load needs.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SignJWT } from 'jose';
import { audience, clientId, clientSecret, es256ClientId, listen } from './common.ts';
import { newPrivateKeys } from './keys.ts';

const keys = await newPrivateKeys();
const secretDigest = digest(clientSecret);

listen(async (req, res) => {
  const form = new URLSearchParams(await readBody(req));
  const [id = '', secret = ''] = Buffer.from((req.headers.authorization ?? '').slice(6), 'base64')
    .toString()
    .split(':');
  const isKnown = id === clientId || id === es256ClientId;
  if (
    !isKnown ||
    !timingSafeEqual(digest(secret), secretDigest) ||
    form.get('grant_type') !== 'client_credentials'
  ) {
    res.writeHead(401).end();
    return;
  }
  const scope = form.get('scope') ?? '';
  const alg = id === es256ClientId ? 'ES256' : 'RS256';
  const roles = ['Admin'];
  const claims = {
    client_id: id,
    clientId: id,
    scope,
    roles,
    realm_access: { roles },
    preferred_username: id,
    email: id,
  };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg, typ: 'JWT', kid: alg })
    .setIssuer('http://localhost')
    .setSubject(id)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('300 s')
    .setJti(randomUUID())
    .sign(keys[alg]);
  const body = JSON.stringify({ access_token: token, expires_in: 300, token_type: 'Bearer', scope });
  res.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
});

async function readBody(req: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of req) body += chunk;
  return body;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
