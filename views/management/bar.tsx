/** How things are, in the bar of all management pages: each leads to where it is said in full. */
import type { ComponentChildren, VNode } from 'preact';
import { renderPart } from '../layout.tsx';
import type { Presentation } from '../presentation.ts';
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

export function BarFigures(bar: BarModel) {
  return (
    <div class="bar-figures">
      <Members {...bar} />
      <Jobs {...bar} />
      <Approvals {...bar} />
    </div>
  );
}

/** What goes on in the bar while a page is open, by the id of its element; jobs have an event of their own. */
export function barParts(bar: BarModel, presentation: Presentation) {
  const rendered = (part: VNode) => renderPart(part, presentation);
  return {
    parts: {
      [ids.members]: rendered(<Members {...bar} />),
      [ids.approvals]: rendered(<Approvals {...bar} />),
    },
    ofJobs: { [ids.jobs]: rendered(<Jobs {...bar} />) },
  };
}

const ids = { members: 'bar-members', jobs: 'bar-jobs', approvals: 'bar-approvals' } as const;

function Members({ members }: BarModel) {
  const t = useText();
  return (
    <Figure id={ids.members}>
      {members && (
        <a href="/cluster/members">
          <State kind={members.silent === 0 ? 'ok' : 'danger'}>
            {t(members.silent === 0 ? 'figures.members' : 'bar.silent', {
              n: members.silent === 0 ? members.count : members.silent,
            })}
          </State>
        </a>
      )}
    </Figure>
  );
}

function Jobs({ jobs = 0 }: BarModel) {
  const t = useText();
  return (
    <Figure id={ids.jobs}>
      {jobs > 0 && <a href="/observe/jobs?state=running">{t('figures.jobs', { n: jobs })}</a>}
    </Figure>
  );
}

function Approvals({ approvals = 0 }: BarModel) {
  const t = useText();
  return (
    <Figure id={ids.approvals}>
      {approvals > 0 && (
        <a href="/access/approvals?state=waiting">{t('figures.approvals', { n: approvals })}</a>
      )}
    </Figure>
  );
}

interface FigureProps {
  readonly id: string;
  readonly children: ComponentChildren;
}

/** It is there without anything in it too: a page that is open may get it. */
function Figure({ id, children }: FigureProps) {
  return (
    <span id={id} data-part="" hidden={!children}>
      {children}
    </span>
  );
}
