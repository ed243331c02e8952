import { renderDocument } from '../layout.tsx';
import { type FrameModel, ManagementPage } from './frame.tsx';

export interface GroupModel {
  readonly frame: FrameModel;
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly href: string; readonly about: string }[];
}

export function renderGroup({ frame, title, pages }: GroupModel): string {
  return renderDocument(
    <ManagementPage frame={frame} title={title}>
      <ul class="rows boxed">
        {pages.map((page) => (
          <li key={page.href}>
            <h2>
              <a href={page.href}>{page.title}</a>
            </h2>
            <p class="muted">{page.about}</p>
          </li>
        ))}
      </ul>
    </ManagementPage>,
  );
}
