/** Who has asked for a job that goes on as them, in words of the store. */
export interface JobActor {
  readonly kind: 'user' | 'client' | 'local';
  readonly id: string;
  readonly via: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly client?: string;
  readonly session?: string;
}

interface Asking extends Omit<JobActor, 'client' | 'session'> {
  readonly client?: string | undefined;
  readonly session?: string | undefined;
}

/** Who it is done for, as far as that is known again later. */
export function jobActorOf({ kind, id, via, roles, scopes, client, session }: Asking): JobActor {
  return { kind, id, via, roles, scopes, ...(client && { client }), ...(session && { session }) };
}
