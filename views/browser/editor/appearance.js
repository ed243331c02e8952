// The colours of the page: custom properties reach into a shadow root, so theme and branding come with them.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.tagName, tags.angleBracket], color: 'var(--accent)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.attributeName], color: 'var(--warn)' },
  { tag: [tags.comment, tags.processingInstruction, tags.documentMeta], color: 'var(--muted)' },
  { tag: tags.invalid, color: 'var(--danger)' },
]);

const frame = {
  '&': { height: '100%', fontSize: '0.875rem', color: 'var(--ink)', background: 'var(--surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { overflow: 'auto', fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-gutters': {
    border: 'none',
    borderInlineEnd: '1px solid var(--line)',
    color: 'var(--muted)',
    background: 'var(--ground)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'var(--ground)' },
  '.cm-activeLineGutter': { color: 'var(--ink)', fontWeight: '600' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--tint)', outline: '1px solid var(--accent)' },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'none', outline: '1px solid var(--danger)' },
  '.cm-selectionMatch': { background: 'var(--tint)' },
  '.cm-searchMatch': { background: 'var(--warn-tint)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--focus)' },
  '.cm-specialChar': { color: 'var(--danger)' },
};

/** What the library draws with pictures in its style, which the policy of the page stops, and with colours of its own. */
const parts = {
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '0' },
  '.cm-lintRange-error, .cm-lintRange-warning': {
    textDecoration: 'underline wavy var(--danger)',
    textUnderlineOffset: '0.2em',
  },
  '.cm-lintPoint:after': { borderBottomColor: 'var(--danger)' },
  '.cm-diagnostic': { borderInlineStart: '4px solid var(--danger)', whiteSpace: 'normal' },
  '.cm-panels, .cm-tooltip': {
    border: '0 solid var(--line)',
    color: 'var(--ink)',
    background: 'var(--ground)',
    fontFamily: 'var(--sans)',
  },
  '.cm-panels-top': { borderBottomWidth: '1px' },
  '.cm-panels-bottom': { borderTopWidth: '1px' },
  '.cm-tooltip': { borderWidth: '1px', maxWidth: '24rem' },
  '.cm-panel.cm-search': { padding: '0.5rem 2.5rem 0.5rem 0.5rem' },
  '.cm-panel.cm-search label': { fontSize: '0.875rem', whiteSpace: 'nowrap' },
  '.cm-panel.cm-search [name=close]': {
    width: '2rem',
    height: '2rem',
    fontSize: '1.25rem',
    color: 'inherit',
  },
  '.cm-textfield, .cm-button': {
    minHeight: '2.25rem',
    border: '1px solid var(--edge)',
    borderRadius: 'var(--corner)',
    color: 'var(--ink)',
    background: 'var(--surface)',
    fontSize: '0.875rem',
  },
  '.cm-button': { backgroundImage: 'none', padding: '0 0.75rem' },
  '.cm-button:active': { backgroundImage: 'none', background: 'var(--tint)' },
  ':focus-visible:not(.cm-content)': { outline: '3px solid var(--focus)', outlineOffset: '1px' },
};

/** Around the editor, in its shadow root. */
export const around = `
  .frame {
    min-height: 8rem;
    height: 22rem;
    overflow: hidden;
    resize: vertical;
    border: 1px solid var(--edge);
    border-radius: var(--corner);
  }
  .frame:has(.cm-content:focus) { outline: 3px solid var(--focus); }
  p { margin: 0.375rem 0 0; font-size: 0.875rem; color: var(--muted); }
  p:empty { display: none; }
  .problem { color: var(--danger); }
`;

export const appearance = [EditorView.theme({ ...frame, ...parts }), syntaxHighlighting(colours)];
