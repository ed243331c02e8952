/** Where a store says what an operator should know. */
export interface StorageLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}
