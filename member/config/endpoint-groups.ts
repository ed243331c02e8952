/** The groups that endpoints are switched in, as a whole each (docs/member-surface.md#endpoint-groups). */
import { type EndpointGroup, endpointGroups } from '../../platform/endpoint-groups.ts';

/** The groups that are on once REST is on and the configuration says nothing of them (docs/member-surface.md#endpoint-groups). */
export const defaultGroups: readonly EndpointGroup[] = ['CLUSTER_READ', 'HEALTH_CHECK'];

/**
 * The group that a configuration means by `name`: case and underscores are ignored, and the
 * deprecated `HOT_RESTART` is `PERSISTENCE`, as in the real engine.
 */
export function groupNamed(name: string): EndpointGroup | undefined {
  const plain = plainName(name);
  return plain === 'HOTRESTART' ? 'PERSISTENCE' : endpointGroups.find((group) => plainName(group) === plain);
}

/**
 * The groups that own a path for which no route exists, so that a group that is off refuses all of
 * its paths alike, those included that this member does not serve. docs/member-surface.md#endpoint-groups lists the CP paths in
 * two groups; either one opens them. What is listed nowhere is CLUSTER_WRITE's "other REST operations".
 *
 * @param method  `HEAD` counts as `GET`
 * @param path    the raw path after the first segment and its slash, such as `rest/maps/m`
 */
export function groupsOwning(method: string, path: string): readonly EndpointGroup[] {
  const isRead = method === 'GET' || method === 'HEAD';
  const row = owners.find(({ prefix, readOnly }) => isUnder(path, prefix) && (isRead || !readOnly));
  return row?.groups ?? ['CLUSTER_WRITE'];
}

interface Owner {
  readonly prefix: string;
  readonly groups: readonly EndpointGroup[];
  /** The row holds for `GET` alone; other methods on the path belong to CLUSTER_WRITE. */
  readonly readOnly?: true;
}

const management = 'rest/management/cluster';

const owners: readonly Owner[] = [
  { prefix: 'rest/maps', groups: ['DATA'] },
  { prefix: 'rest/queues', groups: ['DATA'] },
  { prefix: 'health', groups: ['HEALTH_CHECK'] },
  { prefix: 'rest/wan', groups: ['WAN'] },
  { prefix: 'rest/cp-subsystem', groups: ['CP', 'CLUSTER_WRITE'] },
  { prefix: 'rest/cluster', groups: ['CLUSTER_READ'] },
  { prefix: 'rest/instance', groups: ['CLUSTER_READ'] },
  { prefix: `${management}/state`, groups: ['CLUSTER_READ'] },
  { prefix: `${management}/nodes`, groups: ['CLUSTER_READ'] },
  { prefix: `${management}/version`, groups: ['CLUSTER_READ'], readOnly: true },
  { prefix: 'rest/license', groups: ['CLUSTER_READ'], readOnly: true },
  { prefix: 'rest/log-level', groups: ['CLUSTER_READ'], readOnly: true },
  { prefix: 'rest/config/tcp-ip/member-list', groups: ['CLUSTER_READ'], readOnly: true },
  ...['forceStart', 'partialStart', 'backup', 'backupInterrupt', 'hotBackup', 'hotBackupInterrupt'].map(
    (operation): Owner => ({ prefix: `${management}/${operation}`, groups: ['PERSISTENCE'] }),
  ),
];

function isUnder(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

function plainName(name: string): string {
  return name.replaceAll('_', '').toUpperCase();
}
