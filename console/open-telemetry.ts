/** Loaded where a collector is named: nobody else pays for it. */
import { hostname } from 'node:os';
import type { Closing } from '../platform/closing.ts';
import type { Logger } from '../platform/log.ts';
import type { Settings } from './settings/settings.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

/** @returns undefined: nothing is sent */
export async function openTelemetry(
  { otlpEndpoint, otlpHeaders, otlpTracesPercent, otlpMetricsSeconds }: Settings,
  log: Logger,
  closing: Closing,
): Promise<Telemetry | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  const { createTelemetry } = await import('./telemetry/telemetry.ts');
  const telemetry = createTelemetry({
    settings: {
      otlpEndpoint,
      otlpHeaders: otlpHeaders?.reveal() ?? {},
      otlpTracesPercent,
      otlpMetricsSeconds,
    },
    instance: `${hostname()}:${process.pid}`,
    log,
    now: Date.now,
  });
  closing.add('telemetry', telemetry.close);
  return telemetry;
}
