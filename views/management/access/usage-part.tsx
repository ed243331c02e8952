/** What a client has used of what it may. */
import { useText } from '../../texts/elements.tsx';
import { numberIn, type Translate } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { Table } from '../lists/table.tsx';
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

export interface UsageShown extends ShownUsage {
  /** What may be narrowed away, in words; empty: nothing. */
  readonly unused: string;
}

interface UsagePartProps extends UsageShown {
  /** Where narrowing is asked about; undefined for who may not. */
  readonly narrowHref: string | undefined;
  readonly now: Date;
}

const most = 10;

export function UsagePart({ days, isComplete, used, usedKinds, unused, narrowHref, now }: UsagePartProps) {
  const t = useText();
  return (
    <Part
      id="usage"
      title={t('clients.usedInDays', { n: days })}
      about={[unusedText(unused, t), ...(isComplete ? [] : [t('clients.notAllCounted')])].join(' ')}
      acts={
        unused !== '' &&
        narrowHref !== undefined && (
          <a class="button" href={narrowHref}>
            {t('clients.narrow')}
          </a>
        )
      }
    >
      {used.length === 0 ? (
        <p class="empty">{t('clients.noCallYet')}</p>
      ) : (
        <Table
          title={t('clients.usedInDays', { n: days })}
          columns={[
            { title: t('clients.permission') },
            { title: t('clients.of') },
            { title: t('access.outcome') },
            { title: t('common.calls'), isNumber: true },
            { title: t('clients.last') },
          ]}
          rows={used.slice(0, most).map((call) => ({
            key: `${call.permission} ${call.structure} ${call.names?.join()} ${call.isAllowed}`,
            cells: [
              <span key="permission" class="code">
                {call.permission}
              </span>,
              <bdi key="names">{call.names?.join(', ') ?? ''}</bdi>,
              <Outcome key="outcome" {...call} />,
              numberIn(t.language, call.calls),
              <Ago key="last" at={new Date(call.lastAt)} now={now} />,
            ],
          }))}
        />
      )}
      {usedKinds > most && <p class="muted">{t('clients.moreKinds', { n: usedKinds - most })}</p>}
    </Part>
  );
}

function Outcome({ isAllowed, decisionId }: ShownUsage['used'][number]) {
  const t = useText();
  if (isAllowed) return <State kind="ok">{t('frame.fine')}</State>;
  return (
    <>
      <State kind="danger">{t('common.refused')}</State>
      {decisionId !== null && (
        <>
          {' '}
          <a href={decisionHref(decisionId)}>{t('clients.why')}</a>
        </>
      )}
    </>
  );
}

function unusedText(unused: string, t: Translate): string {
  return unused === '' ? t('clients.nothingUnused') : t('clients.unused', { unused });
}
