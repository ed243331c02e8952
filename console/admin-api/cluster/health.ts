/** `/api/v1/health`: how this installation is, for who administers it. */
import { z } from 'zod';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';

type State = 'ok' | 'warning' | 'problem';

interface Found {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly findings: readonly {
    readonly check: string;
    readonly state: State;
    readonly reason: string;
    readonly fix: string | null;
  }[];
}

export interface HealthNeeds {
  /** See console/app/health-findings.ts. */
  readonly healthFindings: { last(): Promise<Found>; run(): Promise<Found> };
}

const state = z.enum(['ok', 'warning', 'problem']);
const healthView = view({
  state: state.meta({ description: 'The worst of them.' }),
  checkedAt: dateTime,
  findings: z.array(
    view({
      check: z.string().meta({ description: 'What was looked at.', example: 'member 10.0.0.1:5701' }),
      state,
      reason: z.string(),
      fix: z.string().nullable().meta({ description: 'What puts it right.' }),
    }),
  ),
}).meta({ id: 'Health' });

export const healthOperations: readonly Operation<HealthNeeds>[] = [
  operation({
    id: 'readHealth',
    method: 'GET',
    path: '/health',
    summary: 'Shows how members, store, keys, licence, jobs and settings are, at most five seconds old.',
    access: 'read',
    answer: healthView,
    async run(_call, { healthFindings }: HealthNeeds) {
      return { body: viewOf(await healthFindings.last()) };
    },
  }),
  operation({
    id: 'runHealthCheck',
    method: 'POST',
    path: '/health/run',
    summary: 'The same, looked at now: each member is asked whether it is ready.',
    access: 'read',
    answer: healthView,
    async run(_call, { healthFindings }: HealthNeeds) {
      return { body: viewOf(await healthFindings.run()) };
    },
  }),
];

const order: readonly State[] = ['problem', 'warning', 'ok'];

function viewOf({ at, findings }: Found) {
  const worst = order.find((one) => findings.some((finding) => finding.state === one)) ?? 'ok';
  return { state: worst, checkedAt: new Date(at).toISOString(), findings };
}
