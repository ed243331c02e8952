import { NarrowPage, renderDocument } from './layout.tsx';
import type { Presentation } from './presentation.ts';
import { useText } from './texts/elements.tsx';

/** In place of a sign-in that nobody could pass: there is no account yet. */
export function renderNotSetUp(presentation?: Presentation): string {
  return renderDocument(<NotSetUp />, presentation);
}

function NotSetUp() {
  const t = useText();
  return (
    <NarrowPage title={t('notSetUp.title')}>
      <p class="lede">{t('notSetUp.about')}</p>
      <p>
        <code>administrator none yet; make one at …/setup?token=…</code>
      </p>
      <p>{t('notSetUp.where')}</p>
      <p>
        <code>npx console user add ada --role Admin --password-file -</code>
      </p>
    </NarrowPage>
  );
}
