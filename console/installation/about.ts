/** What runs here: for whoever asks for help, or wonders whether this is the release that was meant. Nothing secret is in it. */
import { version } from '../../platform/installation.ts';
import { registryFormat, storeEngine, storeFormat } from '../storage/store-form.ts';
import type { createInstallationId } from './installation-id.ts';
import { type Library, libraries } from './libraries.ts';

export interface AboutDeps {
  readonly installationId: Pick<ReturnType<typeof createInstallationId>, 'find'>;
  /** Processes that answer. */
  readonly workers: number;
  /** Whether a console runs in this process: a command without one has no time of its own to tell. */
  readonly isServing: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface AboutInstallation {
  /** Null before the first start of a console. */
  readonly id: string | null;
  readonly version: string;
  readonly nodeVersion: string;
  /** Operating system and processor, as Node calls them. */
  readonly platform: string;
  readonly workers: number;
  /** ISO 8601; null: no console runs. Of the process that answers. */
  readonly startedAt: string | null;
  readonly uptimeSeconds: number | null;
  readonly store: { readonly engine: string; readonly format: number; readonly registryFormat: number };
  readonly libraries: readonly Library[];
}

export function createAbout({ installationId, workers, isServing, now }: AboutDeps) {
  return async (): Promise<AboutInstallation> => {
    const uptimeSeconds = Math.floor(process.uptime());
    return {
      id: installationId.find() ?? null,
      version: version(),
      nodeVersion: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      workers,
      startedAt: isServing ? new Date(now() - uptimeSeconds * 1000).toISOString() : null,
      uptimeSeconds: isServing ? uptimeSeconds : null,
      store: { engine: storeEngine, format: storeFormat, registryFormat },
      libraries: await libraries(),
    };
  };
}
