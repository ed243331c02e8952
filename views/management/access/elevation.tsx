/** A role that the reader has for a while, or could have: on a page beside the account. */
import { renderDocument } from '../../layout.tsx';
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
const path = [{ title: 'Your account', href: '/account' }];

interface ElevationModel {
  readonly frame: FrameModel;
  readonly elevation: ShownElevation;
  readonly notice?: string | undefined;
}

export function renderElevation({ frame, elevation, notice }: ElevationModel): string {
  const { id, role, reason, createdAt, endsAt } = elevation;
  return renderDocument(
    <DetailPage
      frame={frame}
      path={path}
      title={`You have the role ${role}`}
      acts={
        <a class="button" href={`${elevationHref}?do=end`}>
          End it
        </a>
      }
      about="It ends by itself, with the tokens that have it; your sessions end with it, and you sign in again."
      notice={notice}
    >
      <Facts
        facts={[
          { name: 'Role', value: <bdi>{role}</bdi> },
          { name: 'Ends', value: <Ago at={new Date(endsAt)} now={frame.now} /> },
          { name: 'Began', value: <Ago at={new Date(createdAt)} now={frame.now} /> },
          { name: 'Reason', value: <bdi>{reason}</bdi> },
          { name: 'ID', value: <Id>{id}</Id> },
        ]}
      />
    </DetailPage>,
  );
}

export function renderNoElevation(frame: FrameModel): string {
  return renderDocument(
    <DetailPage
      frame={frame}
      path={path}
      title="Take a role"
      about="There is no role that you may take for a while. An administrator can make you eligible for one."
    >
      {null}
    </DetailPage>,
  );
}
