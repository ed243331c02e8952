/** A role that the reader has for a while, or could have: on a page beside the account. */
import { renderDocument } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { DetailPage, Facts, Id } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';

/** As the admin API has it. */
export interface ShownElevation {
  readonly id: string;
  readonly role: string;
  readonly reason: string;
  readonly createdAt: string;
  readonly endsAt: string;
}

export const elevationHref = '/account/elevation';
export const accountPath = (t: Translate) => [{ title: t('common.yourAccount'), href: '/account' }];

interface ElevationModel {
  readonly frame: FrameModel;
  readonly elevation: ShownElevation;
  readonly notice?: string | undefined;
}

export function renderElevation(model: ElevationModel): string {
  return renderDocument(<Elevation {...model} />, model.frame.presentation);
}

function Elevation({ frame, elevation, notice }: ElevationModel) {
  const t = useText();
  const { id, role, reason, createdAt, endsAt } = elevation;
  return (
    <DetailPage
      frame={frame}
      path={accountPath(t)}
      title={t('elevation.youHave', { role })}
      acts={
        <a class="button" href={`${elevationHref}?do=end`}>
          {t('elevation.endIt')}
        </a>
      }
      about={t('elevation.endsByItself')}
      notice={notice}
    >
      <Facts
        facts={[
          { name: t('access.role'), value: <bdi>{role}</bdi> },
          { name: t('elevation.ends'), value: <Ago at={new Date(endsAt)} now={frame.now} /> },
          { name: t('elevation.began'), value: <Ago at={new Date(createdAt)} now={frame.now} /> },
          { name: t('access.reason'), value: <bdi>{reason}</bdi> },
          { name: t('elevation.id'), value: <Id>{id}</Id> },
        ]}
      />
    </DetailPage>
  );
}

export function renderNoElevation(frame: FrameModel): string {
  return renderDocument(<NoElevation frame={frame} />, frame.presentation);
}

function NoElevation({ frame }: Pick<ElevationModel, 'frame'>) {
  const t = useText();
  return (
    <DetailPage
      frame={frame}
      path={accountPath(t)}
      title={t('elevation.takeRole')}
      about={t('elevation.none')}
    >
      {null}
    </DetailPage>
  );
}
