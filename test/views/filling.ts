import type { Presentation } from '../../views/presentation.ts';

/** What goes into every field of a model: one text for all that is shown, one address for all links. */
export interface Filling {
  readonly text: string;
  readonly href: string;
  /** By default the usual one. */
  readonly presentation?: Presentation | undefined;
}
