/** What an entry of the audit says that was changed, in words: of a value old and new, of a set what went and what came. */

export type Change = Readonly<Record<string, unknown>>;

export interface ChangedField {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** Of a set: what came and went, not what it is. */
  readonly isSet: boolean;
}

/** What stands where there is no value. */
export const nothing = '–';

export function changedFields(change: Change): readonly ChangedField[] {
  return Object.entries(change).map(([name, value]) => {
    const { from, to, add, remove } = (value ?? {}) as Change;
    return {
      name,
      before: textOf(remove === undefined ? from : remove),
      after: textOf(add === undefined ? to : add),
      isSet: add !== undefined || remove !== undefined,
    };
  });
}

export function textOf(value: unknown): string {
  if (value === undefined || value === null) return nothing;
  if (Array.isArray(value)) return value.map(textOf).join(', ') || nothing;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
