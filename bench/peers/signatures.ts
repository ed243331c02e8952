/**
 * The raw signature rate: one request signs for a while, as often as it goes, and answers how often
 * that was. Query: `alg`, `parallel` (0 = synchronous, on the main thread), `seconds`.
 */
import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { listen } from './common.ts';
import { newPrivateKeys } from './keys.ts';

const signOnPool = promisify(sign);
const keys = await newPrivateKeys();
/** As long as a token's header and claims. */
const input = Buffer.alloc(600, 'x');

listen(async (req, res) => {
  const query = new URL(req.url ?? '', 'http://localhost').searchParams;
  const key = query.get('alg') === 'ES256' ? keys.ES256 : keys.RS256;
  const deadline = performance.now() + Number(query.get('seconds')) * 1000;
  const parallel = Number(query.get('parallel'));
  const count = parallel === 0 ? signUntil(key, deadline) : await signOnPoolUntil(key, deadline, parallel);
  res.end(String(count));
});

function signUntil(key: KeyObject, deadline: number): number {
  let count = 0;
  for (; performance.now() < deadline; count++) sign('sha256', input, withEncoding(key));
  return count;
}

async function signOnPoolUntil(key: KeyObject, deadline: number, parallel: number): Promise<number> {
  let count = 0;
  const repeat = async (): Promise<void> => {
    for (; performance.now() < deadline; count++) await signOnPool('sha256', input, withEncoding(key));
  };
  await Promise.all(Array.from({ length: parallel }, repeat));
  return count;
}

/** JWS wants the two halves of an ECDSA signature side by side (RFC 7518 §3.4). */
function withEncoding(key: KeyObject) {
  return { key, dsaEncoding: 'ieee-p1363' as const };
}
