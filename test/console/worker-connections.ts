/** One connection to each worker of a console: requests that go to a certain one. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface WorkerReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

export interface WorkerConnection {
  /** What its request ids begin with. */
  readonly stem: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<WorkerReply>;
  /** A form. */
  post(
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<WorkerReply>;
  close(): void;
}

/** Waits for those that are still starting. @param url  of the console */
export async function connectToAll(url: string, count: number): Promise<WorkerConnection[]> {
  const found = new Map<string, WorkerConnection>();
  const deadline = Date.now() + 30_000;
  while (found.size < count) {
    if (Date.now() > deadline) throw new Error(`connections have come to ${found.size} workers of ${count}`);
    const connection = await connect(url);
    if (found.has(connection.stem)) connection.close();
    else found.set(connection.stem, connection);
  }
  return [...found.values()];
}

async function connect(url: string): Promise<WorkerConnection> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: string) =>
    new Promise<WorkerReply>((resolve, reject) => {
      const sent = request(new URL(path, url), { method, headers, agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        response.on('error', reject).on('end', () => {
          const isJson = /json/.test(response.headers['content-type'] ?? '');
          const json = isJson && text.startsWith('{') ? JSON.parse(text) : {};
          resolve({ status: response.statusCode!, headers: response.headers, text, json });
        });
      });
      sent.on('error', reject).end(body);
    });
  const type = { 'content-type': 'application/x-www-form-urlencoded', origin: url };
  const { headers } = await send('GET', '/live', {});
  return {
    stem: String(headers['x-request-id']).replace(/-[0-9a-z]+$/, ''),
    get: (path, fields = {}) => send('GET', path, fields),
    post: (path, form, fields = {}) =>
      send('POST', path, { ...type, ...fields }, new URLSearchParams(form).toString()),
    close: () => agent.destroy(),
  };
}
