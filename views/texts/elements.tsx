import type { ComponentChildren } from 'preact';
import { Time } from '../elements/time.tsx';
import { usePresentation } from '../presentation.ts';
import type { TextKey } from './english.ts';
import { type GapOf, numberIn, saidIn, type Translate, textForm, textsIn } from './text.ts';

/** The texts of the page's language. */
export function useText(): Translate {
  return textsIn(usePresentation().language);
}

interface TextProps<K extends TextKey> {
  readonly id: K;
  readonly gaps: Readonly<Record<GapOf<K>, ComponentChildren>>;
}

/** A sentence with elements in its gaps. */
export function Text<K extends TextKey>({ id, gaps }: TextProps<K>) {
  const { language } = usePresentation();
  const given: Readonly<Record<string, ComponentChildren>> = gaps;
  const parts = textForm(language, id, Number(given.n ?? 0)).split(/\{(\w+)\}/);
  return (
    <>
      {parts.map((part, at) => {
        const content = at % 2 === 0 ? part : given[part];
        return typeof content === 'number' ? numberIn(language, content) : content;
      })}
    </>
  );
}

/** What the console has said in English, in the language of the page where somebody has said it so. */
export function Said({ children: sentence }: { readonly children: string }) {
  const { language } = usePresentation();
  const said = saidIn(language, sentence);
  if (said === undefined) return <span lang="en">{sentence}</span>;
  // Moments are in it as programs write them.
  return (
    <>
      {said.split(moments).map((part, at) => (at % 2 === 0 ? part : <Time key={at} at={new Date(part)} />))}
    </>
  );
}

const moments = /(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)/;
