/** Calls that wait for a member now, and the way to end one. */
import { useText } from '../../texts/elements.tsx';
import { Part } from '../detail.tsx';
import { Table } from '../lists/table.tsx';
import { isNotRead, type NotRead, NotReadPart } from '../live/not-read.tsx';
import { Named, shortly, whatOf } from './call-cells.tsx';
import { trafficHref } from './traffic-address.ts';

/** One that waits for a member, as the admin API has it. */
export interface ShownOpenCall {
  readonly id: string;
  readonly method: string;
  readonly route: string;
  readonly client: string | null;
  readonly structure: string | null;
  readonly member: string | null;
  readonly waitedMs: number;
  /** The name of the process where it waits. */
  readonly process: string;
  readonly isHere: boolean;
  readonly canEnd: boolean;
}

export interface WaitingProps {
  readonly open: { readonly items: readonly ShownOpenCall[]; readonly count: number } | NotRead;
  readonly mayEnd: boolean;
}

const shownWaiting = 20;

export function Waiting({ open, mayEnd }: WaitingProps) {
  const t = useText();
  if (isNotRead(open)) return <NotReadPart id="waiting" title={t('traffic.waiting')} {...open} />;
  if (open.count === 0) return null;
  const shown = open.items.slice(0, shownWaiting);
  const more = open.count - shown.length;
  const isSpread = shown.some(({ isHere }) => !isHere);
  return (
    <Part id="waiting" title={t('traffic.waiting')} about={t('traffic.waitingAbout')}>
      <Table
        title={t('traffic.waiting')}
        columns={[
          { title: t('common.call') },
          { title: t('traffic.client') },
          { title: t('traffic.member') },
          ...(isSpread ? [{ title: t('traffic.waitsAt') }] : []),
          { title: t('traffic.waits'), isNumber: true },
          ...(mayEnd ? [{ title: t('traffic.act') }] : []),
        ]}
        rows={shown.map((call) => ({
          key: call.id,
          cells: [
            <bdi key="call">{whatOf(call, t)}</bdi>,
            <Named key="client" name="client" id={call.client} />,
            <Named key="member" name="member" id={call.member} />,
            ...(isSpread ? [<At key="at" {...call} />] : []),
            shortly(Math.floor(call.waitedMs / 1000), t),
            ...(mayEnd ? [call.canEnd ? <EndLink key="end" {...call} /> : ''] : []),
          ],
        }))}
      />
      {isSpread && <p class="muted">{t('traffic.waitingElsewhere')}</p>}
      {more > 0 && <p class="muted">{t('traffic.andMore', { n: more })}</p>}
    </Part>
  );
}

function At({ process, isHere }: ShownOpenCall) {
  const t = useText();
  return isHere ? <span>{t('traffic.thisConsole')}</span> : <bdi>{process}</bdi>;
}

function EndLink({ id, client }: ShownOpenCall) {
  const t = useText();
  return (
    <a class="button danger" href={`${trafficHref}?${new URLSearchParams({ do: 'end', call: id })}`}>
      {t('traffic.endCall')}
      <span class="unseen"> {client ?? id}</span>
    </a>
  );
}
