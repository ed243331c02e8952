/** Where a finding can be looked at, and where it is mended. */
import type { WordKey } from '../../texts/text.ts';
import { providerHref } from '../access/identity-providers/provider-form.tsx';
import { memberHref } from '../cluster/members.tsx';
import { configurationFilesId } from '../settings/configuration-files.tsx';
import { keysHref } from '../settings/keys.tsx';
import { decisionHref } from './audit.tsx';
import { jobHref } from './jobs/job-address.ts';
import type { NamedJob } from './jobs/job-kinds.ts';

/** As the admin API has it. */
export interface ShownFinding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly reason: string;
  readonly fix: string | null;
  /** For a terminal. */
  readonly command: string | null;
  /** What mends it. */
  readonly operation: string | null;
  /** Of the last call, where calls are denied. */
  readonly decisionId: string | null;
  /** Which one did not end well. */
  readonly job:
    | (NamedJob & {
        readonly id: string;
        readonly state: string;
        readonly endedAt: string | null;
        readonly problem: string | null;
      })
    | null;
}

export interface FindingReader {
  /** Pages that the reader may open. */
  readonly open: ReadonlySet<string>;
  /** Operations that the reader may run. */
  readonly may: ReadonlySet<string>;
}

export interface FindingPlace {
  readonly page: string;
  readonly href: string;
  /** What the link is called. */
  readonly label: 'health.lookAtIt' | 'health.seeWhy' | Mending['label'];
}

interface Mending {
  readonly label: 'health.readMetadata' | 'health.replaceKeys' | 'health.openJob';
  readonly hrefOf: (check: string) => string;
}

/** The page of the act that mends it, by its operation. */
const mendings: Readonly<Record<string, Mending>> = {
  updateIdentityProvider: {
    label: 'health.readMetadata',
    hrefOf: (check) => `${providerHref(idIn(check, providers))}#edit`,
  },
  rotateKeys: { label: 'health.replaceKeys', hrefOf: () => `${keysHref}?do=rotate-now` },
};

/** What {@link placeOf} has to know of a reader. */
export const mendingOperations = [...Object.keys(mendings), 'readConfigurationDirectory'];

/** @returns undefined for what stands on no page that the reader may open */
export function placeOf(finding: ShownFinding, { open, may }: FindingReader): FindingPlace | undefined {
  const place = anyPlaceOf(finding);
  if (!place || !open.has(place.page)) return undefined;
  const { operation, check } = finding;
  // It stands on a page that others may open too.
  if (check === 'configuration' && !may.has('readConfigurationDirectory')) return undefined;
  const mending = operation !== null && may.has(operation) ? mendings[operation] : undefined;
  return mending ? { ...place, href: mending.hrefOf(check), label: mending.label } : place;
}

function anyPlaceOf({ check, decisionId, job }: ShownFinding): FindingPlace | undefined {
  const label = 'health.lookAtIt';
  if (decisionId !== null)
    return { page: '/observe/audit', href: decisionHref(decisionId), label: 'health.seeWhy' };
  if (job) return { page: '/observe/jobs', href: jobHref(job.id), label: 'health.openJob' };
  if (members.test(check)) return { page: '/cluster/members', href: memberHref(idIn(check, members)), label };
  if (providers.test(check))
    return { page: '/access/identity-providers', href: providerHref(idIn(check, providers)), label };
  const href = pages[check];
  return href === undefined ? undefined : { page: href.split('#')[0]!, href, label };
}

const members = /^member (.+)$/s;
const providers = /^identity provider (.+)$/s;

function idIn(check: string, form: RegExp): string {
  return form.exec(check)?.[1] ?? '';
}

const pages: Readonly<Record<string, string>> = {
  members: '/cluster/members',
  keys: keysHref,
  licence: '/settings/about',
  jobs: '/observe/jobs',
  settings: '/settings',
  configuration: `/settings#${configurationFilesId}`,
};

/** What was looked at, by a name of its own or by that of its kind. */
export function namedCheck(
  check: string,
): { readonly kind: 'member' | 'provider' | 'client' | 'user'; readonly id: string } | WordKey | undefined {
  if (members.test(check)) return { kind: 'member', id: idIn(check, members) };
  if (providers.test(check)) return { kind: 'provider', id: idIn(check, providers) };
  const [, kind, id = ''] = /^(client|user) (.+)$/s.exec(check) ?? [];
  if (kind !== undefined) return { kind: kind === 'client' ? 'client' : 'user', id };
  return names[check];
}

const names: Readonly<Record<string, WordKey>> = {
  members: 'health.members',
  store: 'health.store',
  database: 'health.database',
  keys: 'health.keys',
  licence: 'health.licence',
  jobs: 'health.jobs',
  configuration: 'health.configuration',
  settings: 'health.settings',
};
