/** The end of something that several may ask for and that happens once. */
export interface StopOnce {
  readonly hasBegun: boolean;
  /** Begins, unless it has. @returns when it has ended, or failed */
  begin(): Promise<void>;
  /** Resolves when it has ended, well or not; without `begin` never. */
  readonly ended: Promise<void>;
}

export function stopOnce(stop: () => Promise<void>): StopOnce {
  let inFlight: Promise<void> | undefined;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    get hasBegun() {
      return inFlight !== undefined;
    },
    begin() {
      inFlight ??= stop().finally(end);
      return inFlight;
    },
    ended,
  };
}
