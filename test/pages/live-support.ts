/** Streams of pages as a browser has them, without one. */
import { Agent, request } from 'node:http';
import type { UserAgent } from '../helpers/user-agent.ts';

export interface StreamEvent {
  readonly id: string;
  /** `message` where it has no name. */
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface OpenStream {
  readonly status: number;
  readonly events: readonly StreamEvent[];
  /** Resolves with the first event that is meant, of those that have come too. */
  until(isMeant: (event: StreamEvent) => boolean, timeoutMs?: number): Promise<StreamEvent>;
  /** Resolves when the other side has ended it. */
  readonly ended: Promise<void>;
  leave(): void;
}

/** Of the page itself: what goes on in the bar has no id. */
export const hasParts = ({ name, id }: StreamEvent): boolean => name === 'message' && id !== '';

/** Connections of their own, as many as there are streams. */
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

/** @param path  with its query, without `live=1` */
export function openStream(
  url: string,
  { cookies }: Pick<UserAgent, 'cookies'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenStream> {
  const cookie = [...cookies].map(([key, { name = key, value }]) => `${name}=${value}`).join('; ');
  const target = `${url}${path}${path.includes('?') ? '&' : '?'}live=1`;
  return new Promise((resolve, reject) => {
    const asked = request(target, { agent, headers: { cookie, ...headers } }, (response) => {
      const events: StreamEvent[] = [];
      const waiting = new Set<() => void>();
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const blocks = text.split('\n\n');
        text = blocks.pop()!;
        events.push(...blocks.flatMap(eventOf));
        for (const check of waiting) check();
      });
      const ended = new Promise<void>((end) => {
        response.once('close', end);
      });
      response.on('error', () => {});
      resolve({
        status: response.statusCode!,
        events,
        until: (isMeant, timeoutMs = 10_000) =>
          new Promise((found, failed) => {
            const timer = setTimeout(() => {
              waiting.delete(check);
              failed(new Error(`in vain: ${JSON.stringify(events.map(({ name, id }) => [name, id]))}`));
            }, timeoutMs);
            const check = () => {
              const event = events.find(isMeant);
              if (!event) return;
              clearTimeout(timer);
              waiting.delete(check);
              found(event);
            };
            waiting.add(check);
            check();
          }),
        ended,
        leave: () => asked.destroy(),
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

function eventOf(block: string): StreamEvent[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const data = field('data');
  if (data === undefined) return [];
  return [{ id: field('id') ?? '', name: field('event') ?? 'message', data: JSON.parse(data) }];
}
