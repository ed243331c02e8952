// Edits what stands in a text field, which stays what its form sends. It is in a shadow root, where the policy of the page
// lets it have a style of its own.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { linter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { appearance, around } from './editor/appearance.js';
import { jsonError } from './editor/json-error.ts';
import { languageOf, languages } from './editor/text-language.js';

/**
 * Puts an editor after a text field, with what is typed there.
 *
 * @param {HTMLTextAreaElement} field
 * @param {object} words  the texts of `views/management/forms/editor.tsx`
 */
export function openEditor(field, words) {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(around);
  root.adoptedStyleSheets = [sheet];
  const frame = appended(root, 'div', { className: 'frame' });
  const status = appended(root, 'p', { role: 'status' });
  const hint = appended(root, 'p', { id: 'hint', textContent: words.hint });
  const view = new EditorView({ root, parent: frame, state: stateOf(field, words, status, hint.id) });
  const label = field.labels[0];
  label?.addEventListener('click', () => view.focus());
  const follow = () => followLanguage(view, field);
  field.form.addEventListener('input', follow);
  field.form.addEventListener('change', follow);
  field.after(host);
  return {
    show() {
      const { value } = field;
      // The browser or a script may have written it meanwhile, or its person without the editor.
      if (value !== view.state.doc.toString()) {
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
      }
      field.hidden = true;
      host.hidden = false;
      view.requestMeasure();
      view.focus();
    },
    hide() {
      host.hidden = true;
      field.hidden = false;
      field.focus();
    },
  };
}

const language = new Compartment();

function stateOf(field, words, status, hint) {
  return EditorState.create({
    doc: field.value,
    extensions: [
      EditorState.phrases.of(words.phrases),
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      highlightSpecialChars(),
      history(),
      bracketMatching(),
      highlightSelectionMatches(),
      search({ top: true }),
      linter((view) => problemsIn(view, words, status), {
        delay: 300,
        needsRefresh: ({ startState, state }) => language.get(startState) !== language.get(state),
      }),
      EditorView.lineWrapping,
      EditorView.perLineTextDirection.of(true),
      language.of(languages[languageIn(field)]),
      appearance,
      keymap.of([
        ...searchKeymap,
        ...lintKeymap,
        ...historyKeymap,
        ...defaultKeymap,
        leaving(words),
        indentWithTab,
      ]),
      EditorView.contentAttributes.of({
        'aria-label': field.labels[0]?.firstChild.textContent ?? '',
        'aria-describedby': hint,
        ...(field.getAttribute('aria-invalid') && { 'aria-invalid': 'true' }),
      }),
      // Whoever comes back, or goes on typing, indents again. The library tells of a changed focus only after 10 ms: too late
      // for a Tab that is pressed at once.
      EditorView.domEventHandlers({ blur: (_event, view) => view.setTabFocusMode(false) }),
      EditorView.updateListener.of(({ view, docChanged }) => {
        if (!docChanged) return;
        view.setTabFocusMode(false);
        field.value = view.state.doc.toString();
        followLanguage(view, field);
      }),
    ],
  });
}

/** Esc, then Tab leaves, as long as it takes (WCAG 2.1.2): the library's own goes back to indenting after two seconds. */
function leaving({ leaves }) {
  return {
    key: 'Escape',
    run(view) {
      view.setTabFocusMode(true);
      view.dispatch({ effects: EditorView.announce.of(leaves) });
      return true;
    },
  };
}

function languageIn({ value, form }) {
  const { type, encoding } = form.elements;
  return languageOf({
    type: type?.value ?? '',
    encoding: encoding?.value ?? 'text',
    beginning: value.slice(0, 1000),
  });
}

function followLanguage(view, field) {
  const wanted = languages[languageIn(field)];
  if (language.get(view.state) !== wanted) view.dispatch({ effects: language.reconfigure(wanted) });
}

function problemsIn({ state }, words, status) {
  const text = state.doc.toString();
  const isJson = language.get(state) === languages.json && text.trim() !== '';
  const found = isJson ? jsonError(text) : undefined;
  status.className = found ? 'problem' : '';
  if (!found) {
    status.textContent = isJson ? words.isJson : '';
    return [];
  }
  const line = state.doc.lineAt(found.at);
  const message = filled(words.problems[found.kind], { bracket: found.bracket });
  const place = { line: line.number, column: found.at - line.from + 1, problem: message };
  status.textContent = filled(words.place, place);
  return [{ from: found.at, to: Math.min(found.at + 1, line.to), severity: 'error', message }];
}

function filled(text, gaps) {
  return text.replaceAll(/\{(\w+)\}/g, (_gap, name) => gaps[name]);
}

function appended(parent, tag, properties) {
  const element = Object.assign(document.createElement(tag), properties);
  parent.append(element);
  return element;
}
