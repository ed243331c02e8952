// In which language a text is: as its media type says, else as it begins.

import { json } from '@codemirror/lang-json';
import { xml } from '@codemirror/lang-xml';
import { bidiIsolates } from '@codemirror/language';
import { Decoration, EditorView, ViewPlugin } from '@codemirror/view';

/** Each line of a text that is no code has the direction of its first letter; code has that of code, with its texts set apart. */
const directionOfLines = ViewPlugin.define(
  (view) => ({
    lines: directed(view),
    update({ docChanged, viewportChanged, view: updated }) {
      if (docChanged || viewportChanged) this.lines = directed(updated);
    },
  }),
  { decorations: ({ lines }) => lines },
);
const auto = Decoration.line({ attributes: { dir: 'auto' } });

function directed({ state, visibleRanges }) {
  const starts = new Set();
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; at = state.doc.lineAt(at).to + 1) starts.add(state.doc.lineAt(at).from);
  }
  return Decoration.set([...starts].map((from) => auto.range(from)));
}

const ofCode = [EditorView.contentAttributes.of({ dir: 'ltr' }), bidiIsolates()];

export const languages = {
  json: [json(), ofCode],
  xml: [xml({ autoCloseTags: false }), ofCode],
  none: directionOfLines,
};

/** @returns a name in {@link languages} */
export function languageOf({ type, encoding, beginning }) {
  if (encoding === 'base64') return 'none';
  if (/^[\w.+-]+\/(?:[\w.+-]+\+)?json\b/i.test(type)) return 'json';
  if (/^[\w.+-]+\/(?:[\w.+-]+\+)?xml\b/i.test(type)) return 'xml';
  const [first] = beginning.trimStart();
  if (first === '{' || first === '[') return 'json';
  return first === '<' ? 'xml' : 'none';
}
