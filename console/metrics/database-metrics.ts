/** How a database that consoles share is, as this console knows it without asking: for whoever watches. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { DatabaseWatch } from '../storage/shared-store.ts';

export function addDatabaseMetrics(registry: Registry, watch: () => DatabaseWatch): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (watch: DatabaseWatch) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(watch()));
      },
    });
  const counter = (name: string, help: string, read: (watch: DatabaseWatch) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read(watch()));
      },
    });

  gauge(
    'console_database_clock_offset_seconds',
    'The clock of the database against that of the console: above 0 it is ahead',
    ({ aheadMs }) => aheadMs / 1000,
  );
  new Gauge({
    name: 'console_database_connections',
    help: 'Connections of the store to the database, by state',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, idle } = watch().connections;
      this.set({ state: 'in_use' }, open - idle);
      this.set({ state: 'idle' }, idle);
    },
  });
  gauge(
    'console_database_connections_limit',
    'How many of them there may be',
    ({ connections }) => connections.most,
  );
  gauge(
    'console_database_requests_waiting',
    'Requests to the database that wait for one of them',
    ({ connections }) => connections.waiting,
  );
  gauge(
    'console_database_listening',
    '1 while the database tells of changes at once (LISTEN); 0 while they are looked for twice a second',
    ({ isListening }) => Number(isListening),
  );
  gauge(
    'console_database_changes_age_seconds',
    'Time since all that other consoles had changed was known here',
    ({ changesAgeMs }) => changesAgeMs / 1000,
  );
  counter(
    'console_database_failures_total',
    'Requests to the database that were in vain, since the start',
    ({ failures }) => failures,
  );
  counter(
    'console_database_retries_total',
    'Requests to the database, and connections, that were tried once more, since the start',
    ({ retries }) => retries,
  );
  gauge('console_leading', '1 while this console does what is to be done once for all', ({ term }) =>
    Number(term !== undefined),
  );
  new Gauge({
    name: 'console_leading_term',
    help: 'Which time of leading it is among all consoles; absent at those that do not lead',
    registers,
    collect() {
      const { term } = watch();
      // A gauge without labels is 0 as long as it has no value, which is no term.
      this.remove();
      if (term !== undefined) this.set(term);
    },
  });
  new Gauge({
    name: 'console_duty_last_run_timestamp_seconds',
    help: 'When a duty of the console that leads was done here last',
    labelNames: ['duty'],
    registers,
    collect() {
      for (const [duty, at] of watch().runs) this.set({ duty }, at / 1000);
    },
  });
}
