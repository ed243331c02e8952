/** Lines of the audit trail. There is one for each token, so they are put together here and not by the logging library. */
import { createIsoTime } from './iso-time.ts';
import { cleanString, cleanText, cleanValue, type FieldKind, kindOfField } from './log-cleaning.ts';

export type AuditLine = (event: string, fields: object) => string;

/** A field's name as it stands in a line, what its values are, and the last one: many lines have the same. */
interface Field {
  readonly start: string;
  readonly kind: FieldKind;
  last: string | undefined;
  text: string;
}

/** Names are few and repeat; more are not remembered. */
const mostFields = 1000;

/** @param bindings  JSON text of what each line has in common, with a comma before each field */
export function createAuditLine(bindings: string): AuditLine {
  const fields = new Map<string, Field>();
  const timeOf = createIsoTime();

  return (event, values) => {
    let line = `{"level":"info","time":"${timeOf(Date.now())}"${bindings},"event":${quote(cleanText(event))}`;
    for (const name in values) {
      const value = (values as Readonly<Record<string, unknown>>)[name];
      if (value === undefined || typeof value === 'function') continue;
      const field = fieldOf(name);
      line +=
        typeof value === 'string' ? textOf(field, value) : field.start + jsonOf(name, field.kind, value);
    }
    return `${line},"msg":"audit"}\n`;
  };

  function fieldOf(name: string): Field {
    let field = fields.get(name);
    if (field === undefined) {
      const start = `,${JSON.stringify(cleanText(name))}:`;
      field = { start, kind: kindOfField(name), last: undefined, text: '' };
      if (fields.size < mostFields) fields.set(name, field);
    }
    return field;
  }
}

function textOf(field: Field, value: string): string {
  if (field.kind === 'credential') return `${field.start}"[redacted]"`;
  if (value !== field.last) {
    field.text = field.start + jsonOf('', field.kind, value);
    field.last = value;
  }
  return field.text;
}

function jsonOf(name: string, kind: FieldKind, value: unknown): string {
  if (kind === 'credential') return '"[redacted]"';
  if (typeof value === 'string') return quote(cleanString(kind, value));
  if (typeof value === 'number' || typeof value === 'boolean') return JSON.stringify(value);
  return JSON.stringify(cleanValue(name, value, 0), bigIntAsText) ?? 'null';
}

function bigIntAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** What was cleaned is plain but for these. */
function quote(clean: string): string {
  return /["\\]|[^ -~]/.test(clean) ? JSON.stringify(clean) : `"${clean}"`;
}
