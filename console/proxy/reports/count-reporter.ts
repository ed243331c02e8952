/** Reports to the console what each process here has counted: the last report of each, since it has all that those before it said. */
import type { ProcessReport } from '../../metrics/reports/process-report.ts';
import { createDelivery, type DeliveryDeps } from './delivery.ts';

export function createCountReporter(deps: Pick<DeliveryDeps<ProcessReport>, 'send' | 'onResult'>) {
  const waiting = new Map<string, ProcessReport>();
  const delivery = createDelivery<ProcessReport>({
    ...deps,
    next: () => waiting.values().next().value,
    onTaken(report) {
      if (waiting.get(report.process) === report) waiting.delete(report.process);
    },
  });

  return {
    add(report: ProcessReport): void {
      waiting.delete(report.process);
      waiting.set(report.process, report);
      delivery.start();
    },
    /** Sends what is left, for so many milliseconds at most. */
    close: delivery.close,
  };
}
