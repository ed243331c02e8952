/** `/api/v1/health`: how this installation is, for who administers it. */
import { z } from 'zod';
import type { Job } from '../../jobs/job.ts';
import { mayRun } from '../../operations/access-check.ts';
import type { Actor } from '../../operations/actor.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { jobId, jobStates, jobView, structureOf } from '../jobs.ts';

/** What an administrator has to know of one part of this installation. */
export interface HealthFinding {
  /** What was looked at: `member 10.0.0.1:5701`, `store`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly reason: string;
  /** What puts it right, in words. */
  readonly fix: string | null;
  /** The command line that does so, or says more. */
  readonly command?: string;
  /** Of this API, what does so. */
  readonly operation?: string;
  /** Of the last call, where it is about calls that are denied. */
  readonly decisionId?: string;
  /** The job that it is about. */
  readonly job?: Pick<Job, 'id' | 'kind' | 'input' | 'state' | 'problem' | 'endedAt'>;
}

interface Found {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly findings: readonly HealthFinding[];
}

export interface HealthNeeds {
  /** See console/app/health-findings.ts. */
  readonly healthFindings: {
    last(): Promise<Found>;
    run(): Promise<Found>;
    denials(asked: { readonly isNow: boolean }): Promise<Found['findings']>;
  };
  readonly roles: { permissionsOf: Parameters<typeof mayRun>[2]['permissionsOf'] };
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
      fix: z.string().nullable().meta({ description: 'What puts it right, in words.' }),
      command: z.string().nullable().meta({
        description: 'The command line that does so, or says more.',
        example: 'npx console member undrain 10.0.0.1:5701',
      }),
      operation: z.string().nullable().meta({
        description: 'What does so in this API, by its `operationId`.',
        example: 'undrainMember',
      }),
      decisionId: z.string().nullable().meta({
        description: 'Of the last one, where calls of one caller are denied: for administrators alone.',
      }),
      job: view({
        id: jobId,
        kind: z.string(),
        structure: jobView.shape.structure,
        state: z.enum(jobStates),
        endedAt: dateTime.nullable(),
        problem: z.string().nullable(),
      })
        .nullable()
        .meta({ description: 'Which one failed or was interrupted, and why.' }),
    }),
  ),
}).meta({ id: 'Health' });

export const healthOperations: readonly Operation<HealthNeeds>[] = [
  operation({
    id: 'readHealth',
    method: 'GET',
    path: '/health',
    summary:
      'Shows how members, store, keys, identity providers, licence, jobs and settings are, at most five seconds old.',
    access: 'read',
    answer: healthView,
    async run({ actor }, needs: HealthNeeds) {
      return { body: await bodyOf(actor, false, needs) };
    },
  }),
  operation({
    id: 'runHealthCheck',
    method: 'POST',
    path: '/health/run',
    summary: 'The same, looked at now: each member is asked whether it is ready.',
    access: 'read',
    answer: healthView,
    async run({ actor }, needs: HealthNeeds) {
      return { body: await bodyOf(actor, true, needs) };
    },
  }),
];

const order: readonly HealthFinding['state'][] = ['problem', 'warning', 'ok'];

async function bodyOf(actor: Actor, isNow: boolean, { healthFindings, roles }: HealthNeeds) {
  // Who is denied what names callers, which are not for everybody who reads this.
  const asked = { object: 'access', access: 'observe' } as const;
  const mayKnow = actor.kind === 'local' || mayRun(asked, actor, roles);
  const [{ at, findings }, denials] = await Promise.all([
    isNow ? healthFindings.run() : healthFindings.last(),
    mayKnow ? healthFindings.denials({ isNow }) : [],
  ]);
  return viewOf({ at, findings: [...findings, ...denials] });
}

function viewOf({ at, findings }: Found) {
  const worst = order.find((one) => findings.some((finding) => finding.state === one)) ?? 'ok';
  return { state: worst, checkedAt: new Date(at).toISOString(), findings: findings.map(shown) };
}

function shown({ job, ...finding }: HealthFinding) {
  const nothing = { command: null, operation: null, decisionId: null };
  return { ...nothing, ...finding, job: job ? jobOf(job) : null };
}

function jobOf(job: NonNullable<HealthFinding['job']>) {
  const { id, kind, state, problem, endedAt: at } = job;
  const endedAt = at === null ? null : new Date(at).toISOString();
  return { id, kind, structure: structureOf(job), state, endedAt, problem: problem?.detail ?? null };
}
