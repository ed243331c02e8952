/** Whether applications have confirmed that sessions ended. */
import { Said, useText } from '../../texts/elements.tsx';
import type { WordKey } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { Named } from '../history/named.tsx';
import { Table } from '../lists/table.tsx';
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
  readonly word: WordKey;
}

export const logoutStates: ReadonlyMap<ShownLogout['state'], LogoutState> = new Map([
  ['waiting', { kind: 'warn', word: 'logouts.waiting' }],
  ['told', { kind: 'warn', word: 'logouts.notified' }],
  ['confirmed', { kind: 'ok', word: 'logouts.confirmed' }],
  ['gave_up', { kind: 'danger', word: 'logouts.gaveUp' }],
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
  const t = useText();
  return (
    <Part id="logouts" title={t('logouts.lastLogouts')} about={about}>
      {logouts.length === 0 ? (
        <p class="empty">{t('logouts.noneWithinADay')}</p>
      ) : (
        <Table
          title={t('logouts.lastLogouts')}
          columns={[
            { title: of === 'user' ? t('access.user') : t('access.application') },
            { title: t('access.outcome') },
            { title: t('logouts.ended') },
            { title: t('access.reason') },
          ]}
          rows={logouts.map((logout) => ({
            key: `${logout.endedAt} ${logout.user} ${logout.client}`,
            cells: [
              <Receiver key="who" of={of} {...logout} />,
              <State key="state" kind={logoutStates.get(logout.state)!.kind}>
                {t(logoutStates.get(logout.state)!.word)}
              </State>,
              <Ago key="ended" at={new Date(logout.endedAt)} now={now} />,
              <bdi key="why">{logout.lastError !== null && <Said>{logout.lastError}</Said>}</bdi>,
            ],
          }))}
        />
      )}
    </Part>
  );
}

function Receiver({ of, user, client }: ShownLogout & Pick<LogoutsPartProps, 'of'>) {
  const t = useText();
  if (of === 'client') return <Named kind="application" id={client} />;
  return user === null ? t('logouts.removed') : <Named kind="user" id={user} />;
}
