import type { Actor, ActorElevation } from '../../operations/actor.ts';

/** Who calls from a page, by the session of the browser. */
export interface PageCaller {
  readonly subject: string;
  readonly roles: readonly string[];
  readonly elevation?: ActorElevation;
  /** Epoch seconds. */
  readonly signedInAt: number;
  readonly acr: string | undefined;
  readonly session: string;
}

/** Who they are to an operation. */
export function pageActor({ subject, ...session }: PageCaller): Actor {
  return { kind: 'user', id: subject, via: 'page', scopes: [], ...session };
}
