/** How many items have come into a list since the page was made: they wait behind a link, and no row moves by itself. */
import { Link } from '../../elements/link.tsx';
import { usePresentation } from '../../presentation.ts';
import { useText } from '../../texts/elements.tsx';
import { textForm } from '../../texts/text.ts';
import { Live } from './live.tsx';

export interface NewItemsModel {
  /** Id of the newest item of the page; empty: it has none. */
  readonly newest: string;
  /** The page anew. */
  readonly href: string;
}

/** Its room is there from the beginning. */
export function NewItems({ newest, href }: NewItemsModel) {
  const t = useText();
  const { language } = usePresentation();
  // The script fills the gap.
  const texts = {
    one: textForm(language, 'frame.newItems', 1),
    other: textForm(language, 'frame.newItems', 2),
    more: t('frame.newItemsOrMore', { n: '{n}' }),
  };
  return (
    <div class="new-items" data-new={JSON.stringify(texts)}>
      <span role="status">
        <Link href={href} class="button" isHidden>
          {t('frame.newItems', { n: 0 })}
        </Link>
      </span>
      <Live newest={newest} />
    </div>
  );
}
