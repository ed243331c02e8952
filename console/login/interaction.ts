import type { Provider } from 'oidc-provider';

/** An authorization request that waits for a person, as the library keeps it. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** The form's answer ends at the application: `form-action` has to admit its origin, which was validated. */
export function redirectOrigins({ params }: Interaction): string[] {
  return typeof params.redirect_uri === 'string' ? [new URL(params.redirect_uri).origin] : [];
}
