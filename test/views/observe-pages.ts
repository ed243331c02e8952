import type { FrameModel } from '../../views/management/frame.tsx';
import { renderTraffic, type ShownCall, type ShownTraffic } from '../../views/management/observe/traffic.tsx';
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

/** The pages of Observe with every field of their models filled. */
export function observePages(
  frameOf: (filling: Filling) => FrameModel,
): Readonly<Record<string, (filling: Filling) => string>> {
  return {
    traffic: (filling) =>
      renderTraffic({
        frame: frameOf(filling),
        filters: {
          action: '/observe/traffic',
          isSet: true,
          texts: [{ name: 'client', label: filling.text, value: filling.text }],
          selects: [],
        },
        asked: { client: 'billing' },
        traffic: trafficOf(filling),
      }),
  };
}
