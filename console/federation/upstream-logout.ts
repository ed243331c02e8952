/**
 * Passes the end of a session here on to the provider with which it began. What the provider has to be
 * told, and where the browser goes afterwards, is kept here under a random id: nothing of it travels.
 */
import type { Context } from 'koa';
import type { UpstreamLogout, UpstreamLogouts, UpstreamSessionOrigin } from '../accounts/upstream-logout.ts';
import type { Artifact, ArtifactStore } from '../storage/storage.ts';
import { sendBindingMessage } from './binding-message.ts';
import { type BindingMessage, FederationError } from './connector.ts';
import { logoutReturnAddress, samlLogoutAddress } from './providers/connectors.ts';
import type { Providers } from './providers/providers.ts';
import type { UpstreamSessions, UpstreamSessionsDeps } from './upstream-sessions.ts';

export interface UpstreamLogoutsDeps {
  readonly providers: Pick<Providers, 'findRedirect' | 'find'>;
  readonly upstreamSessions: Pick<UpstreamSessions, 'of'>;
  readonly artifacts: ArtifactStore;
  /** What has to be told names a person (S79). */
  readonly cipher: UpstreamSessionsDeps['cipher'];
  /** `CONSOLE_URL`. */
  readonly url: string;
  readonly isSecure: boolean;
  /** At least 128 random bits, 16 to 64 characters of base64url. */
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The browser is on its way, or why it is not. */
  readonly onSent: (ctx: Context, providerId: string, error?: FederationError) => void;
}

export interface ReturningLogouts extends UpstreamLogouts {
  /**
   * The provider has answered.
   *
   * @returns the ticket of the page to go on with; undefined for a logout that is not known, or another provider's
   */
  finish(providerId: string, id: string, isDone: boolean): Promise<string | undefined>;
  /** Sends the browser with a message to a provider. */
  send(ctx: Context, providerId: string, binding: BindingMessage): void;
}

interface StoredLogout {
  readonly providerId: string;
  readonly ticket: string;
  readonly state: UpstreamLogout['state'];
  readonly sealed: string;
}

const kind = 'OutsideLogout';
const label = 'outside logout';
/** As long as the page that waits for it. */
const ttlSeconds = 600;

export function createUpstreamLogouts(deps: UpstreamLogoutsDeps): ReturningLogouts {
  const { providers, upstreamSessions, artifacts, cipher, url, isSecure, newId, now, onSent } = deps;

  return {
    of: upstreamSessions.of,
    async prepare({ providerId, subject, session }, ticket) {
      const id = newId();
      const sealed = cipher.encrypt(JSON.stringify({ subject, session }), label);
      await put(id, { providerId, ticket, state: 'ready', sealed });
      return id;
    },
    async find(id) {
      const stored = await read(id);
      return stored && { providerName: nameOf(stored.providerId), state: stored.state };
    },
    async start(ctx, id) {
      const stored = await read(id);
      // What is over is over: the way back through the browser's history must not begin it again.
      if (!stored || stored.state === 'done') return false;
      const binding = await begin(ctx, id, stored);
      await put(id, { ...stored, state: binding ? 'away' : 'refused' });
      if (binding) send(ctx, stored.providerId, binding);
      return binding !== undefined;
    },
    async finish(providerId, id, isDone) {
      const stored = await read(id);
      if (stored?.providerId !== providerId) return undefined;
      await put(id, { ...stored, state: isDone ? 'done' : 'refused' });
      return stored.ticket;
    },
    send,
  };

  async function begin(
    ctx: Context,
    id: string,
    { providerId, sealed, state }: StoredLogout,
  ): Promise<BindingMessage | undefined> {
    const { connector } = providers.findRedirect(providerId) ?? {};
    const addressOf = connector?.kind === 'saml' ? samlLogoutAddress : logoutReturnAddress;
    const about = JSON.parse(cipher.open(sealed, label)) as Pick<
      UpstreamSessionOrigin,
      'subject' | 'session'
    >;
    try {
      const returnUrl = addressOf(url, providerId);
      const isRepeated = state === 'away';
      const binding = await connector?.beginLogout?.({ ...about, logoutId: id, returnUrl, isRepeated });
      if (binding) onSent(ctx, providerId);
      return binding;
    } catch (error) {
      if (!(error instanceof FederationError)) throw error;
      onSent(ctx, providerId, error);
      return undefined;
    }
  }

  function send(ctx: Context, providerId: string, binding: BindingMessage): void {
    sendBindingMessage(ctx, binding, { providerName: nameOf(providerId), purpose: 'sign-out', isSecure });
  }

  function nameOf(providerId: string): string {
    return providers.find(providerId)?.name ?? providerId;
  }

  async function read(id: string): Promise<StoredLogout | undefined> {
    const found: Artifact | undefined = await artifacts.get(kind, id);
    return found?.payload as StoredLogout | undefined;
  }

  function put(id: string, payload: StoredLogout): Promise<void> {
    const expiresAt = Math.floor(now() / 1000) + ttlSeconds;
    return artifacts.put(kind, id, { payload: { ...payload }, expiresAt });
  }
}
