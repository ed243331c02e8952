import type { ComponentChildren } from 'preact';

/** What people take somewhere else, with a button that does so where there is script. */
export function Copyable({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="copyable">
      {children}
      <button type="button" class="button small" data-copy="Copied" aria-live="polite" hidden>
        Copy
      </button>
    </div>
  );
}
