/** Whether applications have confirmed that sessions ended. */
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { Named } from '../history/named.tsx';
import { Table } from '../list.tsx';
import { State, type StateKind } from '../state.tsx';

export interface ShownLogout {
  readonly endedAt: string;
  readonly user: string | null;
  readonly client: string;
  readonly state: 'waiting' | 'told' | 'confirmed' | 'gave_up';
  readonly lastError: string | null;
}

interface LogoutState {
  readonly kind: StateKind;
  readonly word: string;
}

export const logoutStates: ReadonlyMap<ShownLogout['state'], LogoutState> = new Map([
  ['waiting', { kind: 'warn', word: 'Waiting' }],
  ['told', { kind: 'warn', word: 'Notified, not confirmed' }],
  ['confirmed', { kind: 'ok', word: 'Confirmed' }],
  ['gave_up', { kind: 'danger', word: 'Gave up' }],
]);

interface LogoutsPartProps {
  readonly about: string;
  /** Whom the page is not about. */
  readonly of: 'user' | 'client';
  /** The newest first. */
  readonly logouts: readonly ShownLogout[];
  readonly now: Date;
}

export function LogoutsPart({ about, of, logouts, now }: LogoutsPartProps) {
  return (
    <Part id="logouts" title="Last logouts" about={about}>
      {logouts.length === 0 ? (
        <p class="empty">None within a day.</p>
      ) : (
        <Table
          title="Last logouts"
          columns={[
            { title: of === 'user' ? 'User' : 'Application' },
            { title: 'Outcome' },
            { title: 'Ended' },
            { title: 'Reason' },
          ]}
          rows={logouts.map((logout) => ({
            key: `${logout.endedAt} ${logout.user} ${logout.client}`,
            cells: [
              <Receiver key="who" of={of} {...logout} />,
              <State key="state" kind={logoutStates.get(logout.state)!.kind}>
                {logoutStates.get(logout.state)!.word}
              </State>,
              <Ago key="ended" at={new Date(logout.endedAt)} now={now} />,
              <bdi key="why">{logout.lastError ?? ''}</bdi>,
            ],
          }))}
        />
      )}
    </Part>
  );
}

function Receiver({ of, user, client }: ShownLogout & Pick<LogoutsPartProps, 'of'>) {
  if (of === 'client') return <Named kind="application" id={client} />;
  return user === null ? <>Removed</> : <Named kind="user" id={user} />;
}
