import type { ComponentChildren } from 'preact';

interface ProblemProps {
  /** So that fields can name it as their description. */
  readonly id: string;
  readonly children: ComponentChildren;
}

/** What went wrong with the form that was sent; read out at once by a screen reader. */
export function Problem({ id, children }: ProblemProps) {
  return (
    <div class="message problem" id={id} role="alert">
      {children}
    </div>
  );
}

/** What has just been done. */
export function Notice({ children }: { readonly children: ComponentChildren }) {
  return <output class="message notice">{children}</output>;
}
