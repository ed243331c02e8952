/** The members on the overview, each in a row, and what takes a sick one out. */
import { Form } from '../../elements/form.tsx';
import { useText } from '../../texts/elements.tsx';
import { Part } from '../detail.tsx';
import { Table } from '../lists/table.tsx';
import { isNotRead, type NotRead, NotReadPart } from '../live/not-read.tsx';
import { RowAct } from '../row-act.tsx';
import { State, type StateKind } from '../state.tsx';
import { errorsIn, inFlightIn, latencyIn } from './member-state.tsx';
import { memberHref } from './members.tsx';

export interface MemberRow {
  readonly id: string;
  /** Of its state. */
  readonly kind: StateKind;
  readonly word: string;
  /** Data or lite. */
  readonly type: string;
  readonly inFlight: number | null;
  readonly p99Ms: number | null;
  readonly failedShare: number | null;
}

/** Of the buttons in the rows of members: outside of what goes on, which has nothing of one reader in it. */
const drainForm = 'drain';

interface DrainFormProps {
  readonly members: readonly MemberRow[] | NotRead | undefined;
  readonly csrf: string;
}

/** Each button names the page of its member; without a button it goes to that of the first. */
export function DrainForm({ members, csrf }: DrainFormProps) {
  const [first] = members && !isNotRead(members) ? members : [];
  return (
    <Form id={drainForm} action={memberHref(first?.id ?? 'none')} hidden={{ csrf, do: 'drain' }}>
      {null}
    </Form>
  );
}

interface MembersProps {
  readonly members: readonly MemberRow[] | NotRead;
  readonly mayDrain: boolean;
}

export function Members({ members, mayDrain }: MembersProps) {
  const t = useText();
  if (isNotRead(members)) return <NotReadPart id="members" title={t('common.members')} {...members} />;
  return (
    <Part id="members" title={t('common.members')}>
      {members.length === 0 ? (
        <p class="empty">{t('overview.noMemberYet')}</p>
      ) : (
        <Table
          title={t('common.members')}
          columns={[
            { title: t('members.member') },
            { title: t('common.state') },
            { title: t('members.kind'), isMinor: true },
            { title: t('members.inFlight'), isNumber: true, isMinor: true },
            { title: 'p99', isNumber: true },
            { title: t('members.errors'), isNumber: true, isMinor: true },
          ]}
          rows={members.map(({ id, kind, word, type, ...figures }) => ({
            key: id,
            cells: [
              <a key="id" href={memberHref(id)}>
                <bdi>{id}</bdi>
              </a>,
              <State key="state" kind={kind}>
                {word}
              </State>,
              type,
              inFlightIn(figures, t),
              latencyIn(figures, t),
              errorsIn(figures, t),
            ],
            act: mayDrain && isSick(kind) && (
              <RowAct label={t('members.drain')} act="drain" of={id} href={memberHref(id)} form={drainForm} />
            ),
          }))}
        />
      )}
    </Part>
  );
}

/** One that is drained already is not among them, nor one of which nothing is known. */
function isSick(kind: StateKind): boolean {
  return kind === 'danger' || kind === 'warn';
}
