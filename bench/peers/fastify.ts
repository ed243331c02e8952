/** `@fastify/http-proxy` with a check of each token by jose: what one would write without this project. */
import proxy from '@fastify/http-proxy';
import fastify from 'fastify';
import { importJWK, jwtVerify } from 'jose';
import { audience, issuer } from './common.ts';

const { MEMBER = '', PUBLIC_JWK = '' } = process.env;
const key = await importJWK(JSON.parse(PUBLIC_JWK), 'RS256');
const app = fastify({ logger: false });
app.register(proxy, {
  upstream: MEMBER,
  async preHandler(request, reply) {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    try {
      await jwtVerify(token, key, { issuer, audience, algorithms: ['RS256'] });
    } catch {
      return reply.code(401).header('www-authenticate', 'Bearer error="invalid_token"').send();
    }
  },
});
process.stdout.write(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.once('SIGTERM', () => process.exit(0));
