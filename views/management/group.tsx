import { renderDocument } from '../layout.tsx';
import { useText } from '../texts/elements.tsx';
import type { WordKey } from '../texts/text.ts';
import { type FrameModel, ManagementPage } from './frame.tsx';

export interface GroupModel {
  readonly frame: FrameModel;
  readonly title: WordKey;
  readonly pages: readonly {
    readonly title: WordKey;
    readonly href: string;
    readonly about: WordKey;
    /** Absent where it cannot be had. */
    readonly figure?: string | undefined;
  }[];
}

export function renderGroup(model: GroupModel): string {
  return renderDocument(<Group {...model} />, model.frame.presentation);
}

function Group({ frame, title, pages }: GroupModel) {
  const t = useText();
  return (
    <ManagementPage frame={frame} title={t(title)}>
      <ul class="rows boxed">
        {pages.map((page) => (
          <li key={page.href}>
            <h2>
              <a href={page.href}>{t(page.title)}</a>
            </h2>
            {page.figure !== undefined && <p>{page.figure}</p>}
            <p class="muted">{t(page.about)}</p>
          </li>
        ))}
      </ul>
    </ManagementPage>
  );
}
