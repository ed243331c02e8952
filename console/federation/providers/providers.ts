/**
 * The upstream identity providers as they are configured now: one connector for each, made when it is first
 * used and made anew when its record changes. Their protocols are loaded when a record asks for them, so
 * that a console without providers starts without them.
 */
import type { ProviderRecord } from '../../storage/records.ts';
import type { Registry } from '../../storage/storage.ts';
import type { Connector, PasswordConnector, RedirectConnector } from '../connector.ts';
import type { RoleRules } from '../role-rules.ts';
import { type ConnectorDeps, loadProviderTools, type ProviderTools } from './connectors.ts';
import type { Provider } from './schema.ts';

export interface LiveProvider<C extends Connector = Connector> {
  readonly id: string;
  /** Shown to people. */
  readonly name: string;
  readonly roleRules: RoleRules;
  readonly connector: C;
}

/** One that is set up, whether people are offered it or not. */
export interface ConfiguredProvider extends LiveProvider<RedirectConnector> {
  readonly isEnabled: boolean;
}

export type Providers = ReturnType<typeof createProviders>;

export interface ProvidersDeps extends ConnectorDeps {
  readonly registry: Registry;
  /** Ends what was issued to the accounts of a provider that can be read no more: tokens are checked without it. */
  readonly voidAccounts: (providerId: string) => Promise<void>;
}

/** A record that could be read, and its connector once somebody has asked for it. */
interface Entry {
  readonly of: string;
  readonly provider: Provider;
  connector?: Connector;
  /** The connector could not be made; the record stays unusable until it changes. */
  isBroken?: boolean;
}

export function createProviders(deps: ProvidersDeps) {
  const { registry, log } = deps;
  let tools: ProviderTools | undefined;
  let loading: Promise<void> | undefined;
  let entries: ReadonlyMap<string, Entry> = new Map();
  /** Records that cannot be read, as they were when that was logged. */
  let unreadable: ReadonlyMap<string, string> = new Map();
  let unsubscribe: (() => void) | undefined;

  return {
    /** Reads what is configured; call it before use. Until then, and where it fails, no provider is offered. */
    async prepare(): Promise<void> {
      // A command that changes a provider asks none: it has no use for its protocol.
      unsubscribe ??= registry.onChange((changed) => {
        if (changed.has('providers')) refresh();
      });
      refresh();
      // A kind that comes meanwhile is loaded after the first.
      while (loading) await loading;
      await encryptOutdatedSecrets();
    },
    /** Enabled providers that the browser can be sent to, by position and name: the choice of the login page. */
    choices: () =>
      enabled()
        .filter(({ provider }) => provider.kind !== 'ldap')
        .map(({ provider }) => provider)
        .sort((a, b) => byPosition(a, b) || a.name.localeCompare(b.name) || a.id.localeCompare(b.id))
        .map(({ id, name }) => ({ id, name })),
    /** @returns undefined when there is none of this id, it is disabled, or it takes passwords */
    findRedirect(id: string): LiveProvider<RedirectConnector> | undefined {
      const found = findConfigured(id);
      return found?.isEnabled ? found : undefined;
    },
    findConfigured,
    /** Enabled directories by position, the one that was added first in front: the order in which they are asked. */
    directories: (): readonly LiveProvider<PasswordConnector>[] =>
      enabled()
        .filter(({ provider }) => provider.kind === 'ldap')
        .sort((a, b) => byPosition(a.provider, b.provider) || a.provider.createdAt - b.provider.createdAt)
        .flatMap((entry) => liveOf(entry) ?? [])
        .filter(isDirectory),
    /** What is configured under this id, disabled or not; undefined when it cannot be read. */
    find: (id: string): Provider | undefined => entries.get(id)?.provider,
    /**
     * Whether sign-ins of this provider's accounts count: it is there and enabled. From the record itself: whoever
     * only lists sessions has read no provider.
     */
    isEnabled: (id: string): boolean =>
      registry.get('providers', id)?.enabled === true && !unreadable.has(id),
    /** Since when what was issued to its accounts counts, epoch milliseconds; undefined while nothing does. */
    accountsValidFrom(id: string): number | undefined {
      const record = registry.get('providers', id);
      return record && this.isEnabled(id) ? (record.accountsValidFrom ?? 0) : undefined;
    },
    /** Ends idle connections. */
    async close(): Promise<void> {
      unsubscribe?.();
      const closed = [...entries.values()];
      entries = new Map();
      await Promise.all(closed.map(closeConnector));
    },
  };

  /** One that the browser can be sent to, disabled or not: for whoever tests it. */
  function findConfigured(id: string): ConfiguredProvider | undefined {
    const entry = entries.get(id);
    const live = entry && liveOf(entry);
    return live && isRedirect(live) ? { ...live, isEnabled: entry.provider.enabled } : undefined;
  }

  function enabled(): readonly Entry[] {
    return [...entries.values()].filter(({ provider, isBroken }) => provider.enabled && !isBroken);
  }

  /** Drops what has changed at once; what replaces it may have to wait for its protocol to be loaded. */
  function refresh(): void {
    const records = [...registry.all('providers').values()];
    const missing = records.some((record) => !tools?.has(record));
    if (records.length > 0 && missing) load(records);
    const before = entries;
    const read = records.flatMap((record) => readEntry(record, before.get(record.id)) ?? []);
    entries = new Map(read.map((entry) => [entry.provider.id, entry]));
    unreadable = new Map([...unreadable].filter(([id]) => registry.get('providers', id) && !entries.has(id)));
    for (const [id, entry] of before) if (entries.get(id) !== entry) void closeConnector(entry);
  }

  function load(records: readonly ProviderRecord[]): void {
    loading ??= loadProviderTools(records, deps)
      .then((loaded) => {
        tools = loaded;
        loading = undefined;
        refresh();
      })
      .catch((error: unknown) => {
        loading = undefined;
        log.error({ err: error }, 'identity providers cannot be loaded');
      });
  }

  /** Those that were stored before this encryption key was set (S79). */
  async function encryptOutdatedSecrets(): Promise<void> {
    const isOutdated = (record: ProviderRecord) => tools?.isOutdated(record) === true;
    const outdated = [...registry.all('providers').values()].filter(isOutdated);
    if (outdated.length === 0) return;
    await registry.update((transaction) => {
      for (const { id } of outdated) {
        const record = transaction.get('providers', id);
        if (record && isOutdated(record)) transaction.put('providers', tools!.reencrypt(record));
      }
    });
  }

  /** Written as text, because a record that another process has not changed may be another object. */
  function readEntry(record: ProviderRecord, known: Entry | undefined): Entry | undefined {
    const of = JSON.stringify(record);
    if (known?.of === of) return known;
    if (!tools?.has(record)) return undefined;
    try {
      return { of, provider: tools.open(record) };
    } catch (error) {
      if (unreadable.get(record.id) !== of) {
        reportBroken(record.id, error);
        shutOut(record.id);
      }
      unreadable = new Map([...unreadable, [record.id, of]]);
      return undefined;
    }
  }

  function liveOf(entry: Entry): LiveProvider | undefined {
    const { id, name, roleRules } = entry.provider;
    if (entry.isBroken) return undefined;
    try {
      entry.connector ??= tools!.connect(entry.provider);
      return { id, name, roleRules, connector: entry.connector };
    } catch (error) {
      entry.isBroken = true;
      reportBroken(id, error);
      return undefined;
    }
  }

  function reportBroken(id: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : 'unknown';
    log.error({ provider: id, reason }, 'an identity provider cannot be used: nobody signs in by it');
  }

  function shutOut(id: string): void {
    deps.voidAccounts(id).catch((error: unknown) => {
      log.error(
        { err: error, provider: id },
        'tokens of an identity provider that cannot be used still count',
      );
    });
  }

  async function closeConnector({ connector, provider: { id } }: Entry): Promise<void> {
    if (connector?.kind !== 'ldap') return;
    await connector.close().catch((error: unknown) => {
      log.warn({ err: error, provider: id }, 'connections to a directory did not close');
    });
  }
}

function byPosition(
  { position: one = Number.MAX_SAFE_INTEGER }: Provider,
  { position: other = Number.MAX_SAFE_INTEGER }: Provider,
): number {
  return one - other;
}

function isRedirect(live: LiveProvider): live is LiveProvider<RedirectConnector> {
  return live.connector.kind !== 'ldap';
}

function isDirectory(live: LiveProvider): live is LiveProvider<PasswordConnector> {
  return live.connector.kind === 'ldap';
}
