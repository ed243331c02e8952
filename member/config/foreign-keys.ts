import { type Finding, isObject, type Path } from './source-tree.ts';

/**
 * Keys of the real engine that this member has no use for. One rule for all: those that could not
 * change what a caller gets are set aside with a notice, so that a cluster's own file works here;
 * those that would (foreign stores, encryption, logins by other means) are refused.
 */
export interface ForeignKeys {
  /** The section without them. */
  readonly section: unknown;
  readonly notices: readonly Finding[];
  readonly rejections: readonly Finding[];
}

/** @param section  the member's section, as its format gives it; it is left as it is */
export function setForeignKeysAside(section: unknown): ForeignKeys {
  const notices: Finding[] = [];
  const rejections: Finding[] = [];

  function visit(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, String(index)]));
    if (!isObject(value)) return value;
    const own: Record<string, unknown> = Object.create(null);
    const rule = rules.find(({ under }) => matches(under, path));
    for (const [key, inner] of Object.entries(value)) {
      const itsPath = [...path, key];
      if (rule?.withoutEffect.includes(key)) {
        notices.push({ path: itsPath, message: 'has no effect on this member' });
      } else if (rule !== undefined && Object.hasOwn(rule.rejected, key)) {
        if (!isSwitchedOff(inner)) rejections.push({ path: itsPath, message: rule.rejected[key]! });
      } else {
        own[key] = visit(inner, itsPath);
      }
    }
    return own;
  }
  return { section: visit(section, []), notices, rejections };
}

interface Rule {
  /** `*` stands for one name or index. */
  readonly under: Path;
  readonly withoutEffect: readonly string[];
  readonly rejected: Readonly<Record<string, string>>;
}

function isSwitchedOff(value: unknown): boolean {
  return isObject(value) && value.enabled === false;
}

function matches(pattern: Path, path: Path): boolean {
  return (
    pattern.length === path.length && pattern.every((step, index) => step === '*' || step === path[index])
  );
}

const noEncryption = 'this member does not encrypt: leave it out, or put a TLS proxy before it';
const noStore = 'this member runs no code of others: data would not reach the store';
const noDiscovery = 'this member discovers nobody: name the members in target-endpoints';
const noLogin = 'this member knows users by authentication.simple only';
const oneFile = 'this member reads one file: put everything into it';

/** Names as they stand in a text. */
const names = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);

const rejectedWith = (reason: string, text: string) =>
  Object.fromEntries(names(text).map((key) => [key, reason]));

const socket = `name interfaces outbound-ports public-address reuse-address socket-interceptor socket-options tpc-socket`;
const encryption = rejectedWith(noEncryption, 'ssl symmetric-encryption');

function rule(under: string, withoutEffect: string, rejected: Rule['rejected'] = {}): Rule {
  return {
    under: under === '' ? [] : under.split('.'),
    withoutEffect: names(withoutEffect),
    rejected,
  };
}

const rules: readonly Rule[] = [
  rule(
    '',
    `auditlog cache cardinality-estimator crdt-replication data-connection diagnostics durable-executor-service
    executor-service flake-id-generator instance-tracking integrity-checker jet list listeners lite-member local-device
    management-center member-attributes metrics multimap native-memory partition-group pn-counter properties
    reliable-topic replicatedmap rest ringbuffer scheduled-executor-service serialization set split-brain-protection
    sql topic tpc user-code-deployment user-code-namespaces vector-collection`,
    rejectedWith(oneFile, 'import config-replacers'),
  ),
  rule('network', `${socket} failure-detector member-address-provider memcache-protocol`, encryption),
  rule(
    'advanced-network',
    `client-server-socket-endpoint-config failure-detector interfaces member-address-provider
    memcache-server-socket-endpoint-config wan-endpoint-config wan-server-socket-endpoint-config`,
  ),
  ...['network', 'advanced-network'].flatMap((network) => [
    rule(
      `${network}.join`,
      'auto-detection multicast aws gcp azure kubernetes eureka consul discovery-strategies',
    ),
    rule(`${network}.join.tcp-ip`, 'connection-timeout-seconds interface required-member'),
  ]),
  rule('advanced-network.member-server-socket-endpoint-config', socket, encryption),
  rule('advanced-network.rest-server-socket-endpoint-config', socket, encryption),
  rule(
    'map.*',
    `async-backup-count attributes backup-count cache-deserialized-values entry-listeners event-journal
    in-memory-format indexes merge-policy metadata-policy near-cache partition-attributes partition-lost-listeners
    partition-strategy per-entry-stats-enabled query-caches read-backup-data split-brain-protection-ref
    statistics-enabled tiered-store user-code-namespace`,
    { 'map-store': noStore },
  ),
  rule('map.*.eviction', '', {
    'comparator-class-name': 'this member runs no code of others: choose an eviction-policy',
  }),
  rule('map.*.wan-replication-ref.*', 'merge-policy-class-name', {
    filters: 'this member runs no code of others: every change would be sent',
  }),
  rule(
    'queue.*',
    `async-backup-count backup-count empty-queue-ttl item-listeners merge-policy split-brain-protection-ref
    statistics-enabled user-code-namespace`,
    {
      'queue-store': noStore,
      'priority-comparator-class-name': 'this member runs no code of others: items leave in their order',
    },
  ),
  rule('wan-replication.*', 'consumer', {
    'custom-publisher': 'this member runs no code of others: use a batch-publisher',
  }),
  rule(
    'wan-replication.*.batch-publisher.*',
    `discovery-period-seconds endpoint idle-max-park-ns idle-min-park-ns max-concurrent-invocations
    max-target-endpoints properties use-endpoint-private-address`,
    rejectedWith(noDiscovery, 'aws azure discovery-strategies eureka gcp kubernetes'),
  ),
  rule(
    'cp-subsystem',
    `auto-step-down-when-leader base-dir cp-member-priority data-load-timeout-seconds
    fail-on-indeterminate-operation-state group-size locks map-limit maps missing-cp-member-auto-removal-seconds
    persistence-enabled raft-algorithm semaphores`,
  ),
  ...['persistence', 'hot-restart-persistence'].map((name) =>
    rule(
      name,
      'auto-remove-stale-data cluster-data-recovery-policy data-load-timeout-seconds parallelism rebalance-delay-seconds',
      rejectedWith(noEncryption, 'encryption-at-rest'),
    ),
  ),
  rule(
    'security',
    `client-authentication client-block-unmapped-actions client-permission-policy client-permissions
    security-interceptors`,
  ),
  rule('security.realms.*', 'access-control-service'),
  rule('security.realms.*.identity', 'credentials-factory kerberos token'),
  rule('security.realms.*.authentication', '', rejectedWith(noLogin, 'jaas kerberos ldap tls')),
  rule('security.realms.*.authentication.simple', 'skip-role'),
  rule('security.realms.*.authentication.simple.users.*', 'role roles'),
];
