import { createHash } from 'node:crypto';

/** Ids are bearer secrets: this is the only form of them that is stored (S79). */
export const artifactKey = digest;

/** SHA-256, base64url. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
