/** `/oauth2/jwks` (RFC 7517 §5). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createDocument, sendDocument } from '../http/document.ts';
import { type Keys, keySetMaxAgeSeconds } from './keys.ts';

export type KeySetEndpoint = (req: IncomingMessage, res: ServerResponse) => void;

export function createKeySet(keys: Pick<Keys, 'published' | 'onChange'>): KeySetEndpoint {
  let current = write();
  keys.onChange(() => {
    current = write();
  });
  return (req, res) => sendDocument(req, res, current);

  function write() {
    const content = { keys: keys.published().map(({ key }) => key.publicJwk) };
    const contentType = 'application/jwk-set+json';
    return createDocument(content, { contentType, maxAgeSeconds: keySetMaxAgeSeconds });
  }
}
