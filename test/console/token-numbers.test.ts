import { expect, test } from 'vitest';
import { expose } from '../../console/metrics/exposition.ts';
import { createMetrics } from '../../console/metrics/metrics.ts';

function create() {
  return createMetrics({
    countUsers: async () => 0,
    countClients: async () => 0,
    countVoids: () => ({ account: 0, client: 0, crowded: 0 }),
    faults: { uncaught: 0, lostLines: 0, lostAuditLines: 0 },
    held: { connections: 0, requests: 0, waiting: 0, aheadBytes: 0, cut: {} },
  });
}

async function textOf(metrics: ReturnType<typeof create>): Promise<string> {
  return expose(await metrics.numbers(), undefined).body;
}

async function issuedOf(metrics: ReturnType<typeof create>): Promise<Map<string, number>> {
  const lines = (await textOf(metrics)).matchAll(/^console_tokens_issued_total\{(.*)\} (\d+)$/gm);
  return new Map([...lines].map(([, labels, count]) => [labels!, Number(count)]));
}

test('500 clients have a number of tokens each, a million further ones have one together', async () => {
  const metrics = create();
  for (let round = 0; round < 2; round++) {
    for (let client = 0; client < 2000; client++) metrics.tokenIssued('client_credentials', `c-${client}`);
  }
  metrics.tokenIssued('refresh_token', 'c-499');
  metrics.tokenIssued('refresh_token', 'c-500');
  const issued = await issuedOf(metrics);
  expect(issued.size).toBe(503);
  expect(issued.get('grant_type="client_credentials",client_id="c-0"')).toBe(2);
  expect(issued.get('grant_type="client_credentials",client_id="c-499"')).toBe(2);
  expect(issued.get('grant_type="client_credentials",client_id="other"')).toBe(3000);
  expect(issued.get('grant_type="refresh_token",client_id="c-499"')).toBe(1);
  expect(issued.get('grant_type="refresh_token",client_id="other"')).toBe(1);
});

test('numbers go on where they were after they have been read', async () => {
  const metrics = create();
  metrics.tokenIssued('client_credentials', 'a');
  metrics.request('oauth', 200);
  await textOf(metrics);
  metrics.tokenIssued('client_credentials', 'a');
  metrics.request('oauth', 200);
  const text = await textOf(metrics);
  expect(text).toContain('client_id="a"} 2');
  expect(text).toContain('console_http_requests_total{surface="oauth",status="200"} 2');
});
