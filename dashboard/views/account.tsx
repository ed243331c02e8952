import type { Session } from '../identity/sessions.ts';
import { Page, type SignedInModel, ToConsole } from './layout.tsx';
import { Tile } from './tile.tsx';

interface AccountPageProps {
  readonly currentSession: SignedInModel;
  readonly session: Pick<Session, 'caller' | 'startedAt' | 'renewals'>;
}

/** What each role opens here. The console decides with every call; this table only tells beforehand. */
const rights: readonly { readonly right: string; readonly roles: readonly string[] }[] = [
  { right: 'Health of the cluster', roles: ['MetricsViewer', 'Viewer', 'Admin'] },
  { right: 'Members, connections, versions', roles: ['MetricsViewer', 'Viewer', 'Admin'] },
  { right: 'Queue sizes, entries of maps', roles: ['Viewer', 'Admin'] },
  { right: 'Offering items to a queue', roles: ['Admin'] },
];
const allRoles = ['MetricsViewer', 'Viewer', 'Admin'];

export function AccountPage({ currentSession, session: { caller, startedAt, renewals } }: AccountPageProps) {
  return (
    <Page title="Your sign-in" currentSession={currentSession} here="/account">
      <h1>Your sign-in</h1>
      <dl class="tiles">
        <Tile name="Name" value={caller.username} />
        <Tile name="Roles" value={caller.roles.join(', ') || 'None'} />
        <Tile name="Signed in" value={timeOf(startedAt)} />
        <Tile name="Token good until" value={timeOf(caller.expiresAt * 1000)} />
        <Tile name="Renewed unseen" value={renewals === 1 ? 'once' : `${renewals} times`} />
      </dl>
      <p class="muted">
        Accounts and roles are kept by the console:{' '}
        <ToConsole path={['account']}>your account there</ToConsole>
      </p>
      <section class="stack" aria-labelledby="rights">
        <h2 id="rights">What you see here</h2>
        <RightsTable own={caller.roles} />
      </section>
    </Page>
  );
}

function RightsTable({ own }: { readonly own: readonly string[] }) {
  return (
    <table class="table matrix">
      <thead>
        <tr>
          <th scope="col">Part</th>
          {allRoles.map((role) => (
            <th key={role} scope="col" class={own.includes(role) ? 'own' : undefined}>
              {role}
              {own.includes(role) && <span class="tag">yours</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rights.map(({ right, roles }) => (
          <tr key={right}>
            <th scope="row">{right}</th>
            {allRoles.map((role) => (
              <td key={role} data-name={role} class={own.includes(role) ? 'own' : undefined}>
                {roles.includes(role) ? 'yes' : 'no'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function timeOf(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(11, 19)} UTC`;
}
