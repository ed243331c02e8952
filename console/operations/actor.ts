/** Who has an operation run, however it came: by the API, a page, a command or a file. */

export type ActorKind = 'user' | 'client' | 'local';

/** The way by which an operation came; all that differs for one change that is made in several ways. */
export type Origin = 'api' | 'page' | 'cli' | 'code' | 'system';

export interface Actor {
  readonly kind: ActorKind;
  /** `sub` of a person, id of a client, or `local:<user>` for who can open the data directory, as claimed. */
  readonly id: string;
  readonly via: Origin;
  /** Built-in and custom ones, as they count now: effective ones. */
  readonly roles: readonly string[];
  readonly elevation?: ActorElevation | undefined;
  /** Of a machine's token, those that begin with `api:`. */
  readonly scopes: readonly string[];
  /** Of a machine, what else it is registered for, and so has without bringing it along. */
  readonly mayAskFor?: readonly string[];
  /** By which application a person's token came. */
  readonly client?: string | undefined;
  /** When a person last proved who they are, epoch seconds; undefined when that is not known. */
  readonly signedInAt?: number | undefined;
  /** How they did. */
  readonly acr?: string | undefined;
  /** The browser session, where there is one. */
  readonly session?: string | undefined;
}

/** What somebody calls under who has some of their roles for a while. */
export interface ActorElevation {
  readonly id: string;
  /** Of the roles, those that it has brought: they open things, and are nothing to give to others. */
  readonly roles: readonly string[];
  /** Epoch milliseconds. */
  readonly endsAt: number;
}

/** What was given to stay: whoever grants something, or agrees with others, does so with these. */
export function baseRolesOf({ roles, elevation }: Pick<Actor, 'roles' | 'elevation'>): readonly string[] {
  return elevation ? roles.filter((role) => !elevation.roles.includes(role)) : roles;
}
