import type { ComponentChildren } from 'preact';
import { usePresentation } from '../presentation.ts';
import type { TextKey } from './en.ts';
import { type Gaps, saidIn, textForm, textIn } from './text.ts';

/** The texts of the page's language. */
export function useText(): (key: TextKey, gaps?: Gaps) => string {
  const { language } = usePresentation();
  return (key, gaps) => textIn(language, key, gaps);
}

interface TextProps {
  readonly id: TextKey;
  readonly gaps: Readonly<Record<string, ComponentChildren>>;
}

/** A sentence with elements in its gaps. */
export function Text({ id, gaps }: TextProps) {
  const { language } = usePresentation();
  const parts = textForm(language, id).split(/\{(\w+)\}/);
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : gaps[part]))}</>;
}

/** What the console has said in English, in the language of the page where somebody has said it so. */
export function Said({ children: sentence }: { readonly children: string }) {
  const { language } = usePresentation();
  const said = saidIn(language, sentence);
  return <>{said ?? <span lang="en">{sentence}</span>}</>;
}
