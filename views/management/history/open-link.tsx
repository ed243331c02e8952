import type { ComponentChildren } from 'preact';
import { usePresentation } from '../../presentation.ts';

interface OpenLinkProps {
  readonly href: string;
  readonly children: ComponentChildren;
}

/** Leads to a thing whose page the reader may open; else it is the name alone, and no way to a closed page. */
export function OpenLink({ href, children }: OpenLinkProps) {
  const { closed = [] } = usePresentation();
  const isClosed = closed.some(
    (list) => href.startsWith(list) && /^(?:$|[/?#])/.test(href.slice(list.length)),
  );
  if (isClosed) return children;
  return <a href={href}>{children}</a>;
}
