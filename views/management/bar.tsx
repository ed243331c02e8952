/** How things are, in the bar of all management pages: each leads to where it is said in full. */
import { useText } from '../texts/elements.tsx';
import { State } from './state.tsx';

/** What is absent the reader may not know, or it could not be had. */
export interface BarModel {
  readonly members?: { readonly count: number; readonly silent: number };
  /** That run now. */
  readonly jobs?: number;
  /** That wait for a second administrator. */
  readonly approvals?: number;
}

export function BarFigures({ members, jobs = 0, approvals = 0 }: BarModel) {
  const t = useText();
  return (
    <div class="bar-figures">
      {members && (
        <a href="/cluster/members">
          <State kind={members.silent === 0 ? 'ok' : 'danger'}>
            {t(members.silent === 0 ? 'figures.members' : 'bar.silent', {
              n: members.silent === 0 ? members.count : members.silent,
            })}
          </State>
        </a>
      )}
      {jobs > 0 && <a href="/observe/jobs?state=running">{t('figures.jobs', { n: jobs })}</a>}
      {approvals > 0 && (
        <a href="/access/approvals?state=waiting">{t('figures.approvals', { n: approvals })}</a>
      )}
    </div>
  );
}
