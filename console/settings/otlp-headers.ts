import { type Check, InvalidValueError } from '../../platform/checks.ts';
import { Secret } from '../../platform/secret.ts';

/** Header fields by name, as `OTEL_EXPORTER_OTLP_HEADERS` has them: `name=value`, with a comma between, values percent-encoded. */
export const otlpHeaders: Check<Secret<Readonly<Record<string, string>>>> = (text) => {
  const entries = text
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map(entryOf);
  return new Secret(Object.fromEntries(entries));
};

function entryOf(text: string): [string, string] {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0)).trim();
  const value = decoded(text.slice(at + 1).trim());
  if (
    !/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) ||
    value === undefined ||
    !/^[\x20-\x7e]{0,4000}$/.test(value)
  ) {
    throw new InvalidValueError(
      'must be name=value with a comma between, values percent-encoded: names of header fields',
    );
  }
  return [name, value];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
