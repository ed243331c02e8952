import { Code } from './code.tsx';
import { Copyable } from './copyable.tsx';

/** The same in several languages, each complete. */
export interface Snippet {
  readonly language: string;
  readonly text: string;
}

/** The first is open; the others open by themselves, without script. */
export function Snippets({ snippets }: { readonly snippets: readonly Snippet[] }) {
  return (
    <div>
      {snippets.map(({ language, text }, at) => (
        <details key={language} open={at === 0} name="snippet">
          <summary>{language}</summary>
          <Copyable>
            <Code>{text}</Code>
          </Copyable>
        </details>
      ))}
    </div>
  );
}
