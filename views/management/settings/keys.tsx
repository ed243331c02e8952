/** The signing keys: which sign, which are next, and when each leaves the key set. */
import { renderDocument } from '../../layout.tsx';
import { Ago, dateOf } from '../ago.tsx';
import { DetailPage, More, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { Table } from '../list.tsx';
import { State, type StateKind } from '../state.tsx';

/** As the admin API has it. */
export interface ShownKey {
  readonly id: string;
  readonly alg: string;
  readonly state: 'next' | 'current' | 'retired';
  readonly createdAt: string;
  readonly signsFrom: string | null;
  readonly signsUntil: string | null;
  readonly leavesAt: string | null;
}

export interface KeysModel {
  readonly frame: FrameModel;
  readonly keys: readonly ShownKey[];
  readonly mayRotate: boolean;
  readonly notice?: string | undefined;
}

export const keysHref = '/settings/keys';

const states: Readonly<Record<ShownKey['state'], { readonly word: string; readonly kind: StateKind }>> = {
  current: { word: 'Signs', kind: 'ok' },
  next: { word: 'Next', kind: 'unknown' },
  retired: { word: 'Only verifies', kind: 'off' },
};
const order = ['current', 'next', 'retired'];

export function renderKeys({ frame, keys, mayRotate, notice }: KeysModel): string {
  const { now } = frame;
  const inOrder = [...keys].sort(
    (one, other) => order.indexOf(one.state) - order.indexOf(other.state) || (one.alg < other.alg ? -1 : 1),
  );
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[]}
      title="Signing keys"
      acts={
        mayRotate && (
          <a class="button" href={`${keysHref}?do=rotate`}>
            Rotate keys
          </a>
        )
      }
      about="Tokens are signed with them. Everybody can read their public halves in the key set, and nobody the private ones."
      notice={notice}
    >
      <Part id="keys" title="Key set" about="As /oauth2/jwks has it.">
        {inOrder.length === 0 ? (
          <p>There is no key yet: the first start of a console makes them.</p>
        ) : (
          <Table
            title="Key set"
            columns={[
              { title: 'Key id' },
              { title: 'Algorithm' },
              { title: 'State' },
              { title: 'In the key set since' },
              { title: 'Signs from' },
              { title: 'Signs until' },
              { title: 'Leaves the key set' },
            ]}
            rows={inOrder.map(({ id, alg, state, createdAt, signsFrom, signsUntil, leavesAt }) => ({
              key: id,
              cells: [
                <bdi key="id" id={id} class="code select-all">
                  {id}
                </bdi>,
                alg,
                <State key="state" kind={states[state].kind}>
                  {states[state].word}
                </State>,
                <Ago key="since" at={dateOf(createdAt)} now={now} />,
                <Ago key="from" at={dateOf(signsFrom)} now={now} never="Not set" />,
                <Ago key="until" at={dateOf(signsUntil)} now={now} never="Not set" />,
                <Ago key="leaves" at={dateOf(leavesAt)} now={now} never="Not set" />,
              ],
            }))}
          />
        )}
      </Part>
      {mayRotate && <More acts={[{ label: 'Replace keys at once', href: `${keysHref}?do=rotate-now` }]} />}
    </DetailPage>,
  );
}
