/** Whom and what an entry of the audit names, each leading to what is known of it. */

import { useText } from '../../texts/elements.tsx';
import { ListId } from '../list-id.tsx';
import { isJobId, jobHref } from '../observe/jobs/job-address.ts';
import { OpenLink } from './open-link.tsx';

/** The page of a thing that entries name; undefined where there is none. */
export function objectHref(kind: string, id: string): string | undefined {
  // What has begun a job names it, whatever the job is about.
  if (isJobId(id)) return jobHref(id);
  const place = places[kind];
  if (place === undefined) return undefined;
  const [name, ...rest] = kind === 'map' ? id.split('/') : [id];
  // Of an entry its key follows the name of the map.
  const parts = rest.length === 0 ? [name!] : [name!, rest.join('/')];
  return [place, ...parts.map(encodeURIComponent)].join('/');
}

const places: Readonly<Record<string, string>> = {
  user: '/access/users',
  role: '/access/roles',
  client: '/access/clients',
  application: '/access/applications',
  idp: '/access/identity-providers',
  session: '/access/sessions',
  approval: '/access/approvals',
  member: '/cluster/members',
  map: '/cluster/maps',
  queue: '/cluster/queues',
  job: '/observe/jobs',
};

interface NamedProps {
  readonly kind: string;
  readonly id: string;
  /** By default the id. */
  readonly children?: string;
}

export function Named({ kind, id, children = id }: NamedProps) {
  const href = objectHref(kind, id);
  const name = <ListId>{children}</ListId>;
  return href === undefined ? name : <OpenLink href={href}>{name}</OpenLink>;
}

export interface Actor {
  readonly kind: string;
  readonly id: string;
  /** Of a person, while there is the account. */
  readonly name: string | null;
}

/** What the console does by itself: nobody has asked for it. */
const ownEvents: ReadonlySet<string> = new Set([
  'audit.checkpoint',
  'audit.gap',
  'audit.retention',
  'bulk_act.ended',
  'elevation.ended',
  'keys.rotated',
  'licence.sent',
  'logout.notified',
  'queue.item.lost',
]);

interface WhoProps {
  readonly actor: Actor | null;
  /** The code of what was done. */
  readonly event: string;
}

/** By name; of a person who has been removed, what the entry says. */
export function Who({ actor, event }: WhoProps) {
  const t = useText();
  if (!actor) {
    const nobody = ownEvents.has(event) ? t('history.console') : t('history.nobodyKnown');
    return <span class="muted">{nobody}</span>;
  }
  const { kind, id, name } = actor;
  if (kind !== 'user') return <Named kind={kind} id={id} />;
  return name === null ? <ListId class="muted">{id}</ListId> : <Named kind="user" id={name} />;
}
