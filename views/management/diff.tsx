/** What would change, section by section, line by line: made on the server, and read without colours too. */
import { useText } from '../texts/elements.tsx';
import type { WordKey } from '../texts/text.ts';
import { Code } from './code.tsx';

export interface DiffModel {
  readonly sections: readonly DiffSection[];
  readonly isCut: boolean;
}

export interface DiffSection {
  readonly title: string;
  /** A sentence. */
  readonly state: string;
  readonly lines: readonly { readonly change: 'same' | 'added' | 'removed'; readonly text: string }[];
}

export function Diff({ sections, isCut }: DiffModel) {
  const t = useText();
  return (
    <>
      {sections.map(({ title, state, lines }) => (
        <section key={title} class="diff">
          <h2>
            <bdi>{title}</bdi>
          </h2>
          <p>{state}</p>
          <Code>
            {lines.map((line, at) => (
              <Line key={at} {...line} />
            ))}
          </Code>
        </section>
      ))}
      {isCut && <p class="muted">{t('diff.more')}</p>}
    </>
  );
}

const words: Readonly<Record<'added' | 'removed', WordKey>> = {
  added: 'diff.added',
  removed: 'diff.removed',
};

function Line({ change, text }: DiffSection['lines'][number]) {
  const t = useText();
  if (change === 'same') return <span>{`  ${text}\n`}</span>;
  const said = <span class="unseen">{t(words[change])}: </span>;
  return change === 'added' ? (
    <ins>
      {said}
      {`+ ${text}\n`}
    </ins>
  ) : (
    <del>
      {said}
      {`- ${text}\n`}
    </del>
  );
}
