/** Whether something counts: on its page disabled and enabled at once, as either can be undone. */
import { useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import type { MoreAct } from '../detail.tsx';

interface Switch {
  readonly isEnabled: boolean;
  /** Of its page, which takes the form. */
  readonly href: string;
  readonly csrf: string;
}

/** Stands first among what is at the end of the page. */
export function switchAct({ isEnabled, href, csrf }: Switch, t: Translate): MoreAct {
  return {
    label: isEnabled ? t('access.disable') : t('access.enable'),
    action: href,
    hidden: { csrf, do: isEnabled ? 'disable' : 'enable' },
  };
}

/** Behind the sentence on what is disabled: its button stands at the end of the page. */
export function ToEnable() {
  const t = useText();
  return (
    <>
      {' '}
      <a href="#more">{t('access.enableBelow')}</a>
    </>
  );
}
