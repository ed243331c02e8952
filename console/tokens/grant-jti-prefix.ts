import { createHash } from 'node:crypto';

/** First part of the `jti` of every access token under a grant, so that all of them can be revoked at once. */
export function jtiPrefix(grantId: string): string {
  return createHash('sha256').update(grantId).digest('base64url').slice(0, 16);
}
