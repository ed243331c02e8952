/** What has been opened, to be closed in reverse order. */
export interface Closing {
  /** @param what  for the log */
  add(what: string, close: () => unknown): void;
  /** Closes everything, also what comes after a failure. @returns whether all of it went well */
  run(): Promise<boolean>;
}

/** @param onFailure  hears of each step that failed */
export function createClosing(onFailure: (what: string, error: unknown) => void): Closing {
  const steps: { readonly what: string; readonly close: () => unknown }[] = [];

  return {
    add: (what, close) => steps.push({ what, close }),
    async run() {
      let isClean = true;
      for (const { what, close } of steps.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          isClean = false;
          onFailure(what, error);
        }
      }
      return isClean;
    },
  };
}
