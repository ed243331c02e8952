import { renderDocument, renderPart } from '../layout.tsx';
import { useText } from '../texts/elements.tsx';
import type { WordKey } from '../texts/text.ts';
import { type FrameModel, ManagementPage } from './frame.tsx';
import { Live } from './live/live.tsx';
import { isNotRead, type LiveParts, type NotRead } from './live/not-read.tsx';

export interface GroupPartsModel {
  readonly frame: Pick<FrameModel, 'presentation'>;
  /** By the address of their page, as far as they could be had. */
  readonly figures: ReadonlyMap<string, string | NotRead>;
}

export interface GroupModel extends GroupPartsModel {
  readonly frame: FrameModel;
  readonly title: WordKey;
  readonly pages: readonly {
    readonly title: WordKey;
    readonly href: string;
    readonly about: WordKey;
  }[];
}

export function renderGroup(model: GroupModel): string {
  return renderDocument(<Group {...model} />, model.frame.presentation);
}

function Group({ frame, title, pages, figures }: GroupModel) {
  const t = useText();
  return (
    <ManagementPage frame={frame} title={t(title)} acts={<Live />}>
      <ul class="rows boxed">
        {pages.map((page) => (
          <li key={page.href}>
            <h2>
              <a href={page.href}>{t(page.title)}</a>
            </h2>
            <Figure href={page.href} figure={figures.get(page.href)} />
            <p class="muted">{t(page.about)}</p>
          </li>
        ))}
      </ul>
    </ManagementPage>
  );
}

/** What goes on while the page is open; what could not be had in time stays as it is. */
export function groupParts({ frame, figures }: GroupPartsModel): LiveParts {
  return Object.fromEntries(
    [...figures].map(([href, figure]) => [
      idOf(href),
      isNotRead(figure) ? figure : renderPart(<Figure href={href} figure={figure} />, frame.presentation),
    ]),
  );
}

interface FigureProps {
  /** Of its page. */
  readonly href: string;
  readonly figure: string | NotRead | undefined;
}

/** It is there without a word in it too: a page that is open may get it. */
function Figure({ href, figure }: FigureProps) {
  const said = typeof figure === 'string' ? figure : undefined;
  return (
    <p id={idOf(href)} data-part="" hidden={said === undefined}>
      {said}
    </p>
  );
}

/** `figure-cluster-members`. */
function idOf(href: string): string {
  return `figure${href.replaceAll('/', '-')}`;
}
