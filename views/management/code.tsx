import type { ComponentChildren } from 'preact';

/** Lines as they are. They may be wider than their place, so that keys have to get there to move them (WCAG 2.1.1). */
export function Code({ children }: { readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be moved by the mouse can be moved by keys
    <pre class="snippet" tabIndex={0}>
      <code>{children}</code>
    </pre>
  );
}
