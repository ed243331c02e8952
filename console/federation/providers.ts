/**
 * The outside identity providers as they are configured now: one connector for each, made when it is first
 * used and made anew when its record changes.
 */
import type { Connector, PasswordConnector, RedirectConnector } from './connector.ts';
import type { RoleRules } from './role-rules.ts';

export interface LiveProvider<C extends Connector = Connector> {
  readonly id: string;
  /** Shown to people. */
  readonly name: string;
  readonly roleRules: RoleRules;
  readonly connector: C;
}

export interface Providers {
  /** Enabled providers that the browser can be sent to, by name: the choice of the login page. */
  choices(): readonly { readonly id: string; readonly name: string }[];
  /** @returns undefined when there is none of this id, it is disabled, or it takes passwords */
  findRedirect(id: string): LiveProvider<RedirectConnector> | undefined;
  /** Enabled directories, in the order in which they are asked. */
  directories(): readonly LiveProvider<PasswordConnector>[];
  /** Whether sign-ins of this provider's accounts count: it is there and enabled. */
  isEnabled(id: string): boolean;
  /** Ends idle connections. */
  close(): Promise<void>;
}
