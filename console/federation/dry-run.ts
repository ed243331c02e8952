/** A dry sign-in: what a provider is asked before anybody depends on it. It creates nothing, here or there. */
import type { ConnectorDeps } from './providers/connectors.ts';

export interface DryStep {
  readonly step: string;
  readonly ok: boolean;
  /** What was found. */
  readonly said: string;
  /** What to change; with a step that went well, what to know. */
  readonly advice?: string;
}

export type DryRunDeps = Omit<ConnectorDeps, 'cipher' | 'log' | 'onRead'>;

export type DryRun = ReturnType<typeof createDryRun>;

export function createDryRun() {
  const steps: DryStep[] = [];
  return {
    steps,
    ok: (step: string, said: string, advice?: string) =>
      void steps.push({ step, ok: true, said, ...(advice && { advice }) }),
    /** @returns undefined, for whoever cannot go on */
    failed(step: string, said: string, advice: string): undefined {
      steps.push({ step, ok: false, said, advice });
    },
  };
}
