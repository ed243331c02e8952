export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of the console that begin as overrides do. */
const consoleSettings = /^SVC_MC_APP_/i;

/**
 * The environment variables that override the configuration: `HZ_…`, as at the real engine, and
 * `SVC_…`, in any case. One that is set to nothing is not set.
 */
export function overridesIn(environment: Environment): readonly Override[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!value || !/^(?:HZ|SVC)_./i.test(name) || consoleSettings.test(name)) return [];
    return [{ name, value, steps: name.toLowerCase().split('_').slice(1) }];
  });
}

export interface Override {
  readonly name: string;
  readonly value: string;
  /** What is between the underscores, in lower case: one key each, its dashes dropped. */
  readonly steps: readonly string[];
}
