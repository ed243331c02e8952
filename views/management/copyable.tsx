import type { ComponentChildren } from 'preact';
import { useText } from '../texts/elements.tsx';

/** What people take somewhere else, with a button that does so where there is script. */
export function Copyable({ children }: { readonly children: ComponentChildren }) {
  const t = useText();
  return (
    <div class="copyable">
      {children}
      <button type="button" class="button small" data-copy={t('access.copied')} aria-live="polite" hidden>
        {t('access.copy')}
      </button>
    </div>
  );
}
