/** What a file of configuration says, and where it says nothing: no message quotes it, since it may be a secret in the wrong place. */
import { faultOf } from './json-fault.ts';

export type TextForm = 'json' | 'yaml';

/** `problem`: what is to be said of the file. */
export type ParsedText =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string };

export async function parseText(text: string, form: TextForm): Promise<ParsedText> {
  return form === 'json' ? parseJson(text) : parseYaml(text);
}

function parseJson(text: string): ParsedText {
  const fault = faultOf(text);
  const problem = (position: number, why: string) => ({
    problem: `is not JSON at line ${text.slice(0, position).split('\n').length}${why}`,
  });
  if (fault) return problem(fault.position, fault.isRepeated ? ' (DUPLICATE_KEY)' : '');
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'is not JSON: a text in it has a character that must be escaped' };
  }
}

async function parseYaml(text: string): Promise<ParsedText> {
  const { default: yaml } = await import('yaml');
  const lines = new yaml.LineCounter();
  try {
    // Its own check compares each key with all before it: seconds where there are thousands.
    const parsed = yaml.parseDocument(text, { uniqueKeys: false, lineCounter: lines });
    const [error] = [...parsed.errors, ...parsed.warnings];
    if (error) return { problem: `is not YAML at line ${error.linePos?.[0].line ?? 1} (${error.code})` };
    let twice: number | undefined;
    yaml.visit(parsed, {
      Map(_key, { items }) {
        const names = new Set<string>();
        for (const { key } of items) {
          if (!yaml.isScalar(key)) continue;
          // As the value has it: 1 and "1" are one name there.
          const name = String(key.value ?? '');
          if (names.has(name)) {
            twice = key.range?.[0] ?? 0;
            return yaml.visit.BREAK;
          }
          names.add(name);
        }
        return undefined;
      },
    });
    if (twice !== undefined)
      return { problem: `is not YAML at line ${lines.linePos(twice).line} (DUPLICATE_KEY)` };
    return { value: parsed.toJS({ maxAliasCount: 1000 }) as unknown };
  } catch (error) {
    // An alias of nothing, or of too much; a text that is nested deeper than a stack.
    if (error instanceof ReferenceError) return { problem: 'is not YAML (BAD_ALIAS)' };
    if (error instanceof RangeError) return { problem: 'is nested too deeply' };
    throw error;
  }
}
