import { memberHref } from '../cluster/members.tsx';
import { State, type StateKind } from '../state.tsx';

/** As the admin API has it. */
export interface ShownFinding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly reason: string;
  readonly fix: string | null;
}

interface FindingsProps {
  readonly findings: readonly ShownFinding[];
  /** Pages that the reader may open. */
  readonly open: ReadonlySet<string>;
}

/** What was looked at, what is wrong with it, and what puts it right. */
export function Findings({ findings, open }: FindingsProps) {
  return (
    <ul class="rows boxed">
      {findings.map(({ state, check, reason, fix }) => {
        const place = placeOf(check);
        return (
          <li key={`${check} ${reason}`}>
            <h3>
              <State kind={kinds[state]}>
                <bdi>{check}</bdi>
              </State>
            </h3>
            <p>{reason}</p>
            {fix && <p class="muted">{fix}</p>}
            {state !== 'ok' && place && open.has(place.page) && (
              <p>
                <a href={place.href}>
                  Look at it<span class="unseen">: {check}</span>
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

/** Where it can be looked at; undefined for what stands on no page. */
function placeOf(check: string): { readonly page: string; readonly href: string } | undefined {
  const [, member] = /^member (.+)$/.exec(check) ?? [];
  if (member !== undefined) return { page: '/cluster/members', href: memberHref(member) };
  const href = pages[check];
  return href === undefined ? undefined : { page: href, href };
}
