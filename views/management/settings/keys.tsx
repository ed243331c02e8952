/** The signing keys: which sign, which are next, and when each leaves the key set. */

import { renderDocument } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { DetailPage, More, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListId } from '../list-id.tsx';
import { Table } from '../lists/table.tsx';
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

const states = (
  t: Translate,
): Readonly<Record<ShownKey['state'], { readonly word: string; readonly kind: StateKind }>> => ({
  current: { word: t('keys.signs'), kind: 'ok' },
  next: { word: t('keys.next'), kind: 'unknown' },
  retired: { word: t('keys.onlyVerifies'), kind: 'off' },
});
const order = ['current', 'next', 'retired'];

export function renderKeys(model: KeysModel): string {
  return renderDocument(<Keys {...model} />, model.frame.presentation);
}

function Keys({ frame, keys, mayRotate, notice }: KeysModel) {
  const t = useText();
  const { now } = frame;
  const inOrder = [...keys].sort(
    (one, other) => order.indexOf(one.state) - order.indexOf(other.state) || (one.alg < other.alg ? -1 : 1),
  );
  return (
    <DetailPage
      frame={frame}
      path={[]}
      title={t('common.signingKeys')}
      acts={
        mayRotate && (
          <a class="button" href={`${keysHref}?do=rotate`}>
            {t('keys.rotateKeys')}
          </a>
        )
      }
      about={t('keys.tokensSignedThemEverybody')}
      notice={notice}
    >
      <Part id="keys" title={t('common.keySet')} about={t('keys.asOauth2Jwks')}>
        {inOrder.length === 0 ? (
          <p>{t('keys.noKeyYetFirst')}</p>
        ) : (
          <Table
            title={t('common.keySet')}
            columns={[
              { title: t('keys.keyId') },
              { title: t('keys.algorithm') },
              { title: t('common.state') },
              { title: t('keys.keySetSince') },
              { title: t('keys.signsFrom') },
              { title: t('keys.signsUntil') },
              { title: t('keys.leavesKeySet') },
            ]}
            rows={inOrder.map(({ id, alg, state, createdAt, signsFrom, signsUntil, leavesAt }) => ({
              key: id,
              cells: [
                <span key="id" id={id}>
                  <ListId class="code select-all">{id}</ListId>
                </span>,
                alg,
                <State key="state" kind={states(t)[state].kind}>
                  {states(t)[state].word}
                </State>,
                <Ago key="since" at={dateOf(createdAt)} now={now} />,
                <Ago key="from" at={dateOf(signsFrom)} now={now} never={t('keys.nextRotation')} />,
                <Ago
                  key="until"
                  at={dateOf(signsUntil)}
                  now={now}
                  never={t(signsFrom === null ? 'keys.rotationAfter' : 'keys.nextRotation')}
                />,
                <Ago key="leaves" at={dateOf(leavesAt)} now={now} never={t('keys.onceAllExpired')} />,
              ],
            }))}
          />
        )}
      </Part>
      {mayRotate && <More acts={[{ label: t('keys.replaceKeysOnce'), href: `${keysHref}?do=rotate-now` }]} />}
    </DetailPage>
  );
}
