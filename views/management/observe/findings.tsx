import { Said, Text, useText } from '../../texts/elements.tsx';
import type { Translate, WordKey } from '../../texts/text.ts';
import { providerHref } from '../access/identity-providers/provider-form.tsx';
import { memberHref } from '../cluster/members.tsx';
import { State, type StateKind } from '../state.tsx';
import { decisionHref } from './audit.tsx';

/** As the admin API has it. */
export interface ShownFinding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly reason: string;
  readonly fix: string | null;
  /** Of the last call, where calls are denied. */
  readonly decisionId?: string | null | undefined;
}

interface FindingsProps {
  readonly findings: readonly ShownFinding[];
  /** Pages that the reader may open. */
  readonly open: ReadonlySet<string>;
}

/** What was looked at, what is wrong with it, and what puts it right. */
export function Findings({ findings, open }: FindingsProps) {
  const t = useText();
  return (
    <ul class="rows boxed">
      {findings.map(({ state, check, reason, fix, decisionId }) => {
        const place = decisionId ? decisionPlace(decisionId) : placeOf(check);
        const name = nameOf(check, t);
        const ofWhich = <span class="unseen">: {name}</span>;
        return (
          <li key={`${check} ${reason}`}>
            <h3>
              <State kind={kinds[state]}>
                <bdi>{name}</bdi>
              </State>
            </h3>
            <p>
              <Said>{reason}</Said>
            </p>
            {fix && (
              <p class="muted">
                <Said>{fix}</Said>
              </p>
            )}
            {state !== 'ok' && place && open.has(place.page) && (
              <p>
                <a href={place.href}>
                  <Text id={decisionId ? 'health.seeWhy' : 'health.lookAtIt'} gaps={{ ofWhich }} />
                </a>
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const kinds: Readonly<Record<ShownFinding['state'], StateKind>> = {
  ok: 'ok',
  warning: 'warn',
  problem: 'danger',
};

const pages: Readonly<Record<string, string>> = {
  members: '/cluster/members',
  keys: '/settings/keys',
  licence: '/settings/about',
  jobs: '/observe/jobs',
  settings: '/settings',
};

const names: Readonly<Record<string, WordKey>> = {
  members: 'health.members',
  store: 'health.store',
  keys: 'health.keys',
  licence: 'health.licence',
  jobs: 'health.jobs',
  configuration: 'health.configuration',
  settings: 'health.settings',
};

function nameOf(check: string, t: Translate): string {
  const member = memberIn(check);
  if (member !== undefined) return t('health.member', { member });
  const provider = providerIn(check);
  if (provider !== undefined) return t('health.provider', { id: provider });
  const [, kind, id = ''] = /^(client|user) (.+)$/s.exec(check) ?? [];
  if (kind !== undefined) return t(kind === 'client' ? 'health.client' : 'health.user', { id });
  const name = names[check];
  return name === undefined ? check : t(name);
}

function memberIn(check: string): string | undefined {
  return /^member (.+)$/.exec(check)?.[1];
}

function providerIn(check: string): string | undefined {
  return /^identity provider (.+)$/.exec(check)?.[1];
}

/** The story of one denial, with what opens the call. */
function decisionPlace(id: string) {
  return { page: '/observe/audit', href: decisionHref(id) };
}

/** Where it can be looked at; undefined for what stands on no page. */
function placeOf(check: string): { readonly page: string; readonly href: string } | undefined {
  const member = memberIn(check);
  if (member !== undefined) return { page: '/cluster/members', href: memberHref(member) };
  const provider = providerIn(check);
  if (provider !== undefined) return { page: '/access/identity-providers', href: providerHref(provider) };
  const href = pages[check];
  return href === undefined ? undefined : { page: href, href };
}
