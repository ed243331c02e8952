/** A text field with an editor, where script runs and somebody wants it. */

import { assetPath } from '../static.ts';
import { useText } from '../texts/elements.tsx';
import type { Translate } from '../texts/text.ts';
import { LinesField, type LinesProps } from './fields.tsx';

/** Its form may have a field `type`, a media type, and a field `encoding`, `text` or `base64`: they say in which language the text is. */
export function EditorField(props: Omit<LinesProps, 'children'>) {
  const t = useText();
  return (
    <LinesField {...props}>
      <div class="editor-choice">
        <script type="module" src={assetPath('editing.js')} />
        <button
          type="button"
          class="button small"
          data-editor={assetPath('editor.js')}
          data-words={JSON.stringify(wordsOf(t))}
        >
          {t('editor.open')}
        </button>
        <span role="status" class="hint" />
      </div>
    </LinesField>
  );
}

/** As `views/browser/editor.js` asks for them, which fills the gaps. */
function wordsOf(t: Translate) {
  return {
    open: t('editor.open'),
    close: t('editor.close'),
    failed: t('editor.failed'),
    hint: t('editor.hint'),
    leaves: t('editor.leaves'),
    isJson: t('editor.isJson'),
    place: t('editor.place', { line: '{line}', column: '{column}', problem: '{problem}' }),
    problems: {
      value: t('editor.noValue'),
      name: t('editor.noName'),
      colon: t('editor.noColon'),
      comma: t('editor.noComma', { bracket: '{bracket}' }),
      quote: t('editor.noQuote'),
      character: t('editor.badCharacter'),
      escape: t('editor.badEscape'),
      rest: t('editor.tooMuch'),
    },
    phrases: phrasesOf(t),
  };
}

/** By what CodeMirror calls them; its gaps are a dollar sign. */
function phrasesOf(t: Translate) {
  return {
    'Control character': t('editor.control'),
    'Go to line': t('editor.goToLine'),
    go: t('editor.go'),
    Find: t('editor.find'),
    Replace: t('editor.replace'),
    next: t('editor.next'),
    previous: t('editor.previous'),
    all: t('editor.all'),
    'match case': t('editor.matchCase'),
    'by word': t('editor.byWord'),
    regexp: t('editor.regexp'),
    replace: t('editor.replaceOne'),
    'replace all': t('editor.replaceAll'),
    close: t('editor.closePanel'),
    'current match': t('editor.currentMatch'),
    'replaced $ matches': t('editor.replaced', { n: '$' }),
    'replaced match on line $': t('editor.replacedOn', { line: '$' }),
    'on line': t('editor.onLine'),
    Diagnostics: t('editor.diagnostics'),
    'No diagnostics': t('editor.noDiagnostics'),
    'Selection deleted': t('editor.deleted'),
  };
}
