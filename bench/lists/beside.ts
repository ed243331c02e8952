/** Tokens of a machine beside a caller who lists without pause: how much later they come than alone. */
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { httpRequest, load } from '../load.ts';
import { clientId, clientSecret } from '../peers/common.ts';
import { quantile } from '../statistics.ts';

/** Of one measurement. */
const seconds = 2;
/** As a machine that asks now and then: what a list takes is met at any point of it. */
const betweenMs = 3;

/** @param path  of a list, below `/api/v1`, or undefined for nothing beside. @returns the 99th percentile in ms */
export async function tokenP99Ms(url: string, apiToken: string, path: string | undefined): Promise<number> {
  const deadline = performance.now() + seconds * 1000;
  const [latencies] = await Promise.all([
    takeTokens(url, deadline),
    path !== undefined &&
      load({
        url,
        request: httpRequest('GET', `/api/v1${path}`, { authorization: `Bearer ${apiToken}` }),
        connections: 1,
        seconds,
      }),
  ]);
  return quantile(
    latencies.sort((a, b) => a - b),
    0.99,
  );
}

const takeTokens = (url: string, deadline: number) =>
  takeTokensWhile(url, () => performance.now() < deadline);

/** One after the other. @returns what each took, in ms */
export async function takeTokensWhile(url: string, goesOn: () => boolean): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: number[] = [];
  try {
    while (goesOn()) {
      const start = performance.now();
      await takeToken(url, agent);
      latencies.push(performance.now() - start);
      await wait(Math.random() * 2 * betweenMs);
    }
  } finally {
    agent.destroy();
  }
  return latencies;
}

function takeToken(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const call = request(`${url}/oauth2/token`, { method: 'POST', agent, headers }, (response) => {
      const { statusCode } = response;
      response.resume();
      response.on('end', () =>
        statusCode === 200 ? resolve() : reject(new Error(`a token was answered with ${statusCode}`)),
      );
    });
    call.on('error', reject);
    call.end('grant_type=client_credentials');
  });
}
