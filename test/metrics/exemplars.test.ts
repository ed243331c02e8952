/** From a slow bucket to one call in it: exemplars at /metrics of a console and of a proxy, each of two processes. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { startRecorder } from '../member-proxy/servers.ts';
import { cacheFolder, whyMissing } from '../peers/support/program.ts';
import { addProxyClient, type RunningProxy, startProxy } from '../proxy/support.ts';

/** As Prometheus 3 asks. */
const accept =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
const missing = whyMissing('python-clients-3', 'test/peers/set-up-python.sh');

let member: Awaited<ReturnType<typeof startRecorder>>;
let console: RunningConsole;
let proxy: RunningProxy;
let token: string;
beforeAll(async () => {
  member = await startRecorder();
  const env = { CONSOLE_WORKERS: '2', CONSOLE_MEMBERS: member.address, CONSOLE_MEMBER_PREFIX: 'svc' };
  console = await startConsole({ env });
  proxy = await startProxy({ console, client: await addProxyClient(console), env });
  token = await machineToken(console);
});
afterAll(async () => {
  await proxy?.stop();
  await console?.stop();
  await member?.close();
});

/** On a connection of its own, so that it may go to either process. */
async function get(url: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(url, { headers: { ...headers, Connection: 'close' } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const digitsOf = (call: number) => String(call).padStart(32, '9');

/** Calls, of which every other one is in a trace that is recorded. @returns the ids of those */
async function callMembers(url: string, first: number): Promise<Set<string>> {
  const calls = Array.from({ length: 12 }, (_, index) => first + index);
  for (const call of calls) {
    const traceparent = `00-${digitsOf(call)}-b7ad6b7169203331-0${call % 2}`;
    const { status } = await get(`${url}/svc/rest/cluster`, {
      Authorization: `Bearer ${token}`,
      traceparent,
    });
    expect(status).toBe(200);
  }
  return new Set(calls.filter((call) => call % 2 === 1).map(digitsOf));
}

const sides = [
  ['a console', () => console.url],
  ['a member proxy', () => proxy.url],
] as const;

describe.each(sides)('of %s', (_name, urlOf) => {
  test('a bucket names a call of a recorded trace, whichever process has answered it; others are not named', async () => {
    const sampled = await callMembers(urlOf(), urlOf() === console.url ? 100 : 200);
    // Both processes are asked, and say the same.
    for (let asked = 0; asked < 4; asked++) {
      const { headers, text } = await get(`${urlOf()}/metrics`, { Accept: accept });
      expect(headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
      expect(headers.get('vary')).toContain('Accept');
      const named = [...text.matchAll(/ # \{trace_id="([^"]*)"\} [0-9.e-]+ \d{10}\.?\d*$/gm)];
      expect(named.length).toBeGreaterThan(0);
      for (const [, traceId] of named) expect(sampled).toContain(traceId);
      expect(text).toMatch(/^console_member_call_seconds_count\{.*\} 12$/m);
    }
  });

  test('a denial is named by its decision, and nothing of the call is', async () => {
    const { status, text: denial } = await get(`${urlOf()}/svc/nothing/canary-7`, {
      Authorization: `Bearer ${token}`,
    });
    expect(status).toBe(404);
    const { decision_id: decisionId } = JSON.parse(denial);
    const { text } = await get(`${urlOf()}/metrics`, { Accept: accept });
    expect(text).toContain(` # {decision_id="${decisionId}"} `);
    for (const secret of [token, token.split('.')[2]!, 'canary-7']) expect(text).not.toContain(secret);
  });

  test('who does not ask for it gets the format of before, without exemplars', async () => {
    const { headers, text } = await get(`${urlOf()}/metrics`, {});
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).not.toMatch(/trace_id|decision_id|# EOF/);
    expect(text).toMatch(/^console_member_call_seconds_bucket\{le="10",/m);
  });

  test.skipIf(missing)(`a strict parser reads it${missing ?? ''}`, async () => {
    const { text } = await get(`${urlOf()}/metrics`, { Accept: accept });
    const { families, exemplars } = parse(text);
    expect(families).toContain('console_http_requests');
    expect(families).toContain('process_cpu_seconds');
    expect(exemplars.length).toBeGreaterThan(1);
    for (const { labels, value, bound } of exemplars) {
      expect(Object.entries(labels).join('').replaceAll(',', '').length).toBeLessThanOrEqual(128);
      expect(value).toBeLessThanOrEqual(bound);
    }
  });
});

interface Parsed {
  readonly families: readonly string[];
  readonly exemplars: readonly { labels: Record<string, string>; value: number; bound: number }[];
}

/** By the parser of Prometheus' library for Python, which refuses what the format does not allow. */
function parse(text: string): Parsed {
  const script = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families, exemplars = [], []
for family in text_string_to_metric_families(sys.stdin.read()):
    families.append(family.name)
    for sample in family.samples:
        if sample.exemplar:
            bound = min(float(sample.labels['le']), 1e9)
            exemplars.append({'labels': sample.exemplar.labels, 'value': sample.exemplar.value, 'bound': bound})
print(json.dumps({'families': families, 'exemplars': exemplars}))`;
  const python = join(cacheFolder, 'python-clients-3/bin/python');
  return JSON.parse(execFileSync(python, ['-c', script], { input: text, encoding: 'utf8' }));
}
