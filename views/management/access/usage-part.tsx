/** What a client has used of what it may. */
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { Table } from '../list.tsx';
import { decisionHref } from '../observe/audit.tsx';
import { State } from '../state.tsx';

/** As the admin API has it. */
export interface ShownUsage {
  readonly days: number;
  readonly since: string;
  readonly isComplete: boolean;
  readonly used: readonly {
    readonly permission: string;
    readonly structure: string | null;
    readonly names: readonly string[] | null;
    readonly isAllowed: boolean;
    readonly calls: number;
    readonly lastAt: string;
    readonly decisionId: string | null;
  }[];
  readonly usedKinds: number;
  readonly proposal: {
    readonly permissions: readonly string[];
    readonly isSmaller: boolean;
    readonly remove: readonly string[];
    readonly stillAsked: readonly string[];
  } | null;
}

interface UsagePartProps extends ShownUsage {
  /** Where narrowing is asked about; undefined for who may not. */
  readonly narrowHref: string | undefined;
  readonly now: Date;
}

const most = 10;

export function UsagePart({ days, isComplete, used, usedKinds, proposal, narrowHref, now }: UsagePartProps) {
  const unused = proposal?.isSmaller ? proposal.remove : [];
  return (
    <Part
      id="usage"
      title={`Used in ${days} days`}
      about={`${unusedText(unused)}${isComplete ? '' : ' Not all calls of these days were counted.'}`}
      acts={
        unused.length > 0 &&
        narrowHref !== undefined && (
          <a class="button" href={narrowHref}>
            Narrow
          </a>
        )
      }
    >
      {used.length === 0 ? (
        <p class="empty">No call yet.</p>
      ) : (
        <Table
          title={`Used in ${days} days`}
          columns={[
            { title: 'Permission' },
            { title: 'Of' },
            { title: 'Outcome' },
            { title: 'Calls', isNumber: true },
            { title: 'Last' },
          ]}
          rows={used.slice(0, most).map((call) => ({
            key: `${call.permission} ${call.structure} ${call.names?.join()} ${call.isAllowed}`,
            cells: [
              <span key="permission" class="code">
                {call.permission}
              </span>,
              <bdi key="names">{call.names?.join(', ') ?? ''}</bdi>,
              <Outcome key="outcome" {...call} />,
              new Intl.NumberFormat('en').format(call.calls),
              <Ago key="last" at={new Date(call.lastAt)} now={now} />,
            ],
          }))}
        />
      )}
      {usedKinds > most && <p class="muted">And {usedKinds - most} more kinds of calls.</p>}
    </Part>
  );
}

function Outcome({ isAllowed, decisionId }: ShownUsage['used'][number]) {
  if (isAllowed) return <State kind="ok">Fine</State>;
  return (
    <>
      <State kind="danger">Refused</State>
      {decisionId !== null && (
        <>
          {' '}
          <a href={decisionHref(decisionId)}>Why</a>
        </>
      )}
    </>
  );
}

function unusedText(unused: readonly string[]): string {
  return unused.length === 0
    ? 'Nothing that it may is unused.'
    : `Granted, but unused: ${unused.join(', ')}.`;
}
