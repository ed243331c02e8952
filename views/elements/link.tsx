import type { ComponentChildren } from 'preact';
import { safeHref } from './href.ts';

interface LinkProps {
  readonly href: string | undefined;
  readonly class?: string;
  /** Until a script shows it. */
  readonly isHidden?: boolean;
  /** For who does not see what stands around it; it begins with what is written on it. */
  readonly name?: string;
  readonly children: ComponentChildren;
}

/** A link, or nothing at all when the address is missing or refused by {@link safeHref}. */
export function Link({ href, class: className, isHidden = false, name, children }: LinkProps) {
  const target = safeHref(href);
  if (target === undefined) return null;
  return (
    <a href={target} class={className} hidden={isHidden} aria-label={name}>
      {children}
    </a>
  );
}
