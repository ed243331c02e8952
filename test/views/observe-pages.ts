import type { FrameModel } from '../../views/management/frame.tsx';
import type { ShownFinding } from '../../views/management/observe/finding-place.ts';
import { renderHealth } from '../../views/management/observe/health.tsx';
import { renderJob } from '../../views/management/observe/jobs/job.tsx';
import type { ShownJob } from '../../views/management/observe/jobs/job-parts.tsx';
import { renderJobs } from '../../views/management/observe/jobs/jobs.tsx';
import { renderSearch } from '../../views/management/observe/search.tsx';
import { renderTraffic, type ShownCall, type ShownTraffic } from '../../views/management/observe/traffic.tsx';
import type { PlotModel } from '../../views/management/plot.tsx';
import type { Filling } from './filling.ts';

const earlier = '2025-11-19T17:02:00.000Z';

function callOf({ text }: Filling): ShownCall {
  return {
    at: earlier,
    method: text,
    route: text,
    client: 'billing',
    structure: 'map:orders',
    member: '10.0.0.1:5701',
    status: 403,
    durationMs: 1.5,
    requestId: 'r',
    decisionId: null,
  };
}

function trafficOf(filling: Filling): ShownTraffic {
  const counts = { calls: 1_024, denied: 3, failed: 2, meanMs: 1.2, mostMs: 30 };
  return {
    ...counts,
    since: earlier,
    minutes: 15,
    perMinute: [],
    clients: [
      { id: 'billing', ...counts },
      { id: null, ...counts },
    ],
    structures: [{ id: 'queue:jobs', ...counts }],
    members: [{ id: '10.0.0.1:5701', ...counts }],
    statuses: [{ id: '403', ...counts }],
    denials: [{ client: 'billing', structure: 'map:orders', status: 403, calls: 3 }],
    slowest: [callOf(filling)],
    latest: [callOf(filling)],
  };
}

function jobOf({ text }: Filling): ShownJob {
  return {
    id: 'job_1',
    kind: text,
    structure: null,
    state: 'running',
    progress: { done: 3, total: 10, unit: text, step: text },
    startedBy: text,
    resumable: true,
    result: { [text]: text },
    problem: { code: 'busy', detail: text },
    createdAt: earlier,
    startedAt: earlier,
    updatedAt: earlier,
    endedAt: null,
  };
}

export function findingOf({ text }: Filling, state: ShownFinding['state']): ShownFinding {
  const { structure } = jobOf({ text } as Filling);
  const job = { id: 'job_1', kind: text, structure, state: 'failed', endedAt: earlier, problem: text };
  const nothing = { command: text, operation: null, decisionId: null };
  return { state, check: text, reason: text, fix: text, ...nothing, job };
}

export function plotOf({ text }: Filling): PlotModel {
  return {
    id: 'calls',
    title: text,
    unit: ' ms',
    from: 1_763_713_380,
    stepSeconds: 30,
    lines: [{ name: text, values: [1, null, 3] }],
    otherHref: '/?table=calls',
    isTable: true,
  };
}

/** The pages of Observe with every field of their models filled. */
export function observePages(
  frameOf: (filling: Filling) => FrameModel,
): Readonly<Record<string, (filling: Filling) => string>> {
  return {
    health: (filling) =>
      renderHealth({
        frame: frameOf(filling),
        health: {
          state: 'problem',
          checkedAt: earlier,
          findings: (['problem', 'warning', 'ok'] as const).map((state) => findingOf(filling, state)),
        },
        csrf: filling.text,
        open: new Set(['/observe/jobs']),
        may: new Set(),
      }),
    jobs: (filling) =>
      renderJobs({
        frame: frameOf(filling),
        jobs: [jobOf(filling)],
        mayStop: true,
        filters: { action: '/observe/jobs', asked: {}, selects: [] },
      }),
    job: (filling) =>
      renderJob({
        frame: frameOf(filling),
        job: jobOf(filling),
        mayStop: true,
        notice: filling.text,
        undo: { things: 3, action: '/observe/jobs/job_1', hidden: { csrf: filling.text, do: 'undo' } },
      }),
    'job of an import': (filling) =>
      renderJob({
        frame: frameOf(filling),
        job: {
          ...jobOf(filling),
          kind: 'import-users',
          result: {
            ...{ added: 1, existing: 2, rejected: 300, others: 4, onlyCheck: true },
            leftOut: [{ line: 3, reason: `there is no role ${filling.text}` }],
          },
        },
        mayStop: false,
      }),
    search: (filling) =>
      renderSearch({
        frame: frameOf(filling),
        query: filling.text,
        kinds: [
          {
            id: 'users',
            title: filling.text,
            things: [{ name: filling.text, about: filling.text, href: '/access/users/grace' }],
            allHref: '/access/users?q=g',
          },
        ],
        problems: [filling.text],
      }),
    'search without a word': (filling) =>
      renderSearch({ frame: frameOf(filling), query: '', kinds: [], problems: [] }),
    'search that finds nothing': (filling) =>
      renderSearch({ frame: frameOf(filling), query: filling.text, kinds: [], problems: [] }),
    traffic: (filling) =>
      renderTraffic({
        frame: frameOf(filling),
        filters: {
          action: '/observe/traffic',
          asked: { q: filling.text },
          texts: ['client', 'structure', 'member', 'who'].map((name) => ({
            name,
            label: filling.text,
            value: filling.text,
          })),
          selects: [],
        },
        asked: { client: 'billing' },
        plots: [plotOf(filling)],
        traffic: trafficOf(filling),
        open: {
          items: [
            {
              ...{ id: 'r-1', method: 'GET', route: filling.text, client: 'billing', waitedMs: 3_200 },
              ...{ structure: null, member: '10.0.0.1:5701' },
              ...{ process: filling.text, isHere: false, canEnd: true },
            },
          ],
          count: 3,
        },
        mayEnd: true,
        notice: filling.text,
      }),
  };
}
