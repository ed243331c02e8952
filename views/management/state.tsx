import type { ComponentChildren } from 'preact';

/** Well, to be watched, wrong, off, or not known: a shape before a word, so that no colour is needed to tell them apart. */
export type StateKind = 'ok' | 'warn' | 'danger' | 'off' | 'unknown';

interface StateProps {
  readonly kind: StateKind;
  readonly children: ComponentChildren;
}

export function State({ kind, children }: StateProps) {
  return <span class={`state ${kind}`}>{children}</span>;
}
