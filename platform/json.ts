/** Anything with members but a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns undefined when it is no JSON object */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** @returns undefined for what is no JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
