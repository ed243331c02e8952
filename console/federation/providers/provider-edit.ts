/** What an administrator makes of a provider that is there. */
import type { Provider } from './schema.ts';

/** A provider as it is asked for. */
export type NewProvider = Provider extends infer P
  ? P extends Provider
    ? Omit<P, 'createdAt'>
    : never
  : never;

export type Edit = (provider: Provider) => Provider | NewProvider;

/** However the settings change, it stays the same provider. */
export function edited(before: Provider, edit: Edit): Provider {
  const { id, kind, enabled, createdAt, accountsValidFrom, sweep, owner, hold } = before;
  const { updatedAt: _earlier, ...after } = edit(before);
  return {
    ...after,
    ...{ id, kind, enabled, createdAt },
    ...(accountsValidFrom === undefined ? {} : { accountsValidFrom }),
    ...(sweep === undefined ? {} : { sweep }),
    ...(owner === undefined ? {} : { owner }),
    ...(hold === undefined ? {} : { hold }),
  } as Provider;
}
