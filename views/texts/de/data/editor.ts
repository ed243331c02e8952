/** Der Editor für Texte, auf Deutsch. */

import type { editor as english } from '../../en/data/editor.ts';
import type { SameTexts } from '../../text-form.ts';

export const editor: SameTexts<typeof english> = {
  'editor.open': 'Editor',
  'editor.close': 'Einfaches Textfeld',
  'editor.failed': 'Der Editor konnte nicht geladen werden. Das Textfeld leistet dasselbe.',
  'editor.hint':
    'Tab rückt ein. Um den Editor zu verlassen, drücken Sie Esc, dann Tab. Strg+F (am Mac ⌘F) sucht.',
  'editor.leaves': 'Tab verlässt jetzt den Editor.',
  'editor.place': 'Zeile {line}, Spalte {column}: {problem}',
  'editor.isJson': 'Das ist JSON.',
  'editor.noValue': 'Hierhin gehört ein Wert.',
  'editor.noName': 'Hierhin gehört ein Name in doppelten Anführungszeichen.',
  'editor.noColon': 'Hierhin gehört ein Doppelpunkt.',
  'editor.noComma': 'Hierhin gehört ein Komma oder {bracket}.',
  'editor.noQuote': 'Diesem Text fehlt das schließende Anführungszeichen.',
  'editor.badCharacter': 'Dieses Zeichen darf so nicht in einem Text stehen.',
  'editor.badEscape': 'Diese Escape-Sequenz gibt es nicht.',
  'editor.tooMuch': 'Nach dem Wert darf nichts mehr folgen.',
  'editor.control': 'Steuerzeichen',
  'editor.goToLine': 'Gehe zu Zeile',
  'editor.go': 'Gehen',
  'editor.find': 'Suchen',
  'editor.replace': 'Ersetzen durch',
  'editor.next': 'Nächster',
  'editor.previous': 'Voriger',
  'editor.all': 'Alle',
  'editor.matchCase': 'Groß und klein beachten',
  'editor.byWord': 'Ganze Wörter',
  'editor.regexp': 'Regulärer Ausdruck',
  'editor.replaceOne': 'Ersetzen',
  'editor.replaceAll': 'Alle ersetzen',
  'editor.closePanel': 'Schließen',
  'editor.currentMatch': 'aktueller Treffer',
  'editor.replaced': '{n} Treffer ersetzt',
  'editor.replacedOn': 'Treffer in Zeile {line} ersetzt',
  'editor.onLine': 'in Zeile',
  'editor.diagnostics': 'Fehler',
  'editor.noDiagnostics': 'Keine Fehler',
  'editor.deleted': 'Auswahl gelöscht',
};
