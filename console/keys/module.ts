/** The keys that tokens are signed with, as a feature of its own: what it needs, and its address. */
import type { EndpointRouter } from '../http/endpoints.ts';
import { createKeySet } from './key-set.ts';
import type { Keys } from './keys.ts';

export interface KeysNeeds {
  readonly keys: Pick<Keys, 'published' | 'onChange'>;
}

export function addKeysRoutes(router: EndpointRouter, { keys }: KeysNeeds): void {
  router.get('/oauth2/jwks', createKeySet(keys));
}
