/** What member proxies in processes of their own have counted: read strictly, and only so much of it. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { minuteMs } from '../sums-of-calls.ts';
import {
  mostReportedLatest,
  mostReportedMinutes,
  mostReportedOpen,
  mostReportedRows,
  type ProcessReport,
} from './process-report.ts';

const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const amount = z.number().nonnegative().max(1e15);
const time = count.max(2 ** 45);
const name = z.string().min(1).max(1024).nullable();
const host = z.string().min(1).max(300);
const latencies = z.array(count).max(184).readonly();
const key = {
  client: name,
  structure: z
    .string()
    .regex(/^(?:map|queue):.{0,1000}$/s)
    .nullable(),
  member: host.nullable(),
  status: count.max(999),
};
const call = z
  .strictObject({
    ...key,
    at: time,
    method: z.string().regex(/^[A-Z-]{1,20}$/),
    route: z.string().max(200).nullable(),
    durationMs: amount,
    requestId: z.string().max(200),
    decisionId: z.string().max(200).nullable(),
  })
  .readonly();
/** As an administrator is shown it. */
const openCall = z
  .strictObject({
    requestId: z.string().regex(/^[\w-]{1,64}$/),
    method: z.string().regex(/^[A-Z-]{1,20}$/),
    route: z.string().max(200),
    client: name,
    structure: key.structure,
    member: key.member,
    waitedMs: count,
  })
  .readonly();
const values = z.strictObject({
  found: count,
  missed: count,
  written: count,
  values: count,
  valueBytes: count,
  mostBytes: count,
});
const row = z
  .strictObject({ ...key, calls: count, sumMs: amount, mostMs: amount, values: values.nullable() })
  .readonly();
const minute = z
  .strictObject({
    number: count.max(2 ** 32),
    rows: z.array(row).max(mostReportedRows).readonly(),
    slowest: z.array(call).max(10).readonly(),
    isWhole: z.boolean(),
  })
  .readonly();
const counts = z
  .strictObject({
    calls: count,
    callsDenied: count,
    callsFailed: count,
    tokens: count,
    tokensRejected: count,
    signIns: count,
    signInsFailed: count,
    requests: count,
    requestsFailed: count,
    cpuMicros: amount,
    loopBusyMs: amount,
    loopIdleMs: amount,
  })
  .readonly();
const states = z
  .strictObject({ pollsWaiting: count, connections: count, requestsWaiting: count, memoryBytes: count })
  .readonly();
const member = z
  .strictObject({ calls: count, callsFailed: count, latencies, inFlight: count.exactOptional() })
  .readonly();
const report = z
  .strictObject({
    process: z.string().regex(/^[\w-]{8,64}$/),
    at: time,
    isLast: z.boolean(),
    main: z
      .strictObject({
        counts,
        states,
        callLatencies: latencies,
        members: z.record(z.string().regex(/^[\w.:[\]-]{1,290}:\d{1,5}$/), member),
      })
      .readonly(),
    waiting: z
      .array(z.tuple([z.string().max(1100), count]).readonly())
      .max(1000)
      .readonly(),
    minutes: z.array(minute).max(mostReportedMinutes).readonly(),
    latest: z.array(call).max(mostReportedLatest).readonly(),
    name: z
      .string()
      .regex(/^[\w.:-]{1,300}$/)
      .exactOptional(),
    open: z.array(openCall).max(mostReportedOpen).readonly().exactOptional(),
  })
  .readonly();

/** Of one client within a minute: as many as 128 processes send. Nobody keeps this one busy by inventing reports. */
const mostInMinute = 1_600;

export interface ReportIntakeDeps {
  readonly take: (report: ProcessReport) => Promise<void>;
  readonly calledStructures: { recordNamed(structure: string): void };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createReportIntake({ take, calledStructures, now }: ReportIntakeDeps) {
  let counted = { minute: 0, ofClients: new Map<string, number>() };

  /** @throws {ProblemError} `invalid_request`, `busy` */
  return async (body: unknown, clientId: string): Promise<void> => {
    checkRate(clientId);
    const read = report.safeParse(body);
    if (!read.success)
      throw new ProblemError(problems.invalidRequest, 'This is no report of what a process has counted.');
    for (const { structure, status } of read.data.minutes.flatMap(({ rows }) => rows)) {
      if (structure !== null && status >= 200 && status < 300) calledStructures.recordNamed(structure);
    }
    await take(read.data);
  };

  function checkRate(clientId: string): void {
    const minute = Math.floor(now() / minuteMs);
    if (counted.minute !== minute) counted = { minute, ofClients: new Map() };
    const count = (counted.ofClients.get(clientId) ?? 0) + 1;
    counted.ofClients.set(clientId, count);
    if (count <= mostInMinute) return;
    const seconds = Math.ceil(((minute + 1) * minuteMs - now()) / 1000);
    throw new ProblemError(problems.busy, 'More reports of numbers have come than are taken.', {
      headers: { 'Retry-After': String(Math.max(1, seconds)) },
    });
  }
}
