/** How pages are shown here and to whoever reads them: what does not depend on which page it is. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Language } from './elements/moment.ts';

/** Of an installation; absent: that of the product. */
export interface Branding {
  readonly name?: string;
  readonly logo?: { readonly href: string; readonly width: number; readonly height: number };
  /** Style sheets: the colours, and what they are instead in the dark. */
  readonly colours?: { readonly href: string; readonly darkHref: string };
  /** For whoever has chosen none, and whose browser asks for none of ours. */
  readonly language?: Language;
}

export type Theme = 'system' | 'light' | 'dark';

/** Of rows: 36 px, or 44. Where a finger points, all are of 44. */
export type Density = 'compact' | 'roomy';

export interface Presentation {
  readonly branding: Branding;
  readonly theme: Theme;
  /** Absent: compact. */
  readonly density?: Density | undefined;
  readonly language: Language;
  /** Whether this page is there again for who chooses another one: what a form was answered with is not. */
  readonly canChooseLanguage?: boolean;
  /** Of the IANA data base: that which was chosen, else that of the browser, where script has said it; absent: UTC. */
  readonly zone?: string | undefined;
  readonly chosenZone?: string | undefined;
  /** Lists that this reader may not open: what is in them is named, and leads nowhere. */
  readonly closed?: readonly string[];
}

export const productName = 'Cluster Console';

/** Where nothing was chosen. */
export const usualPresentation: Presentation = { branding: {}, theme: 'system', language: 'en' };

export const PresentationContext = createContext(usualPresentation);

export function usePresentation(): Presentation {
  return useContext(PresentationContext);
}
