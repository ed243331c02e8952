/** One request of the doctor: bounded in time and size, and it follows no redirect. */
import { readWhole } from '../../platform/read-whole.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Epoch milliseconds by the clock here, in the middle of the exchange. */
  readonly at: number;
}

export interface ProbeRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams;
}

/** @throws {ProbeError} */
export type Probe = (url: string, request?: ProbeRequest) => Promise<Answer>;

/** Nobody answered, or not as HTTP does. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  /** A code of the system or of TLS, such as `ECONNREFUSED`; `timeout`, `too_large` or `no_answer`. */
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`no answer: ${reason}`, options);
    this.reason = reason;
  }

  /** The other side's certificate is the reason. */
  get isAboutTls(): boolean {
    return /CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL|EPROTO/.test(this.reason);
  }
}

const timeoutMs = 5000;
const mostBytes = 1024 * 1024;

export interface ProbeDeps {
  readonly fetch: typeof fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createProbe({ fetch, now }: ProbeDeps): Probe {
  return async (url, { method = 'GET', headers = {}, body } = {}) => {
    const sentAt = now();
    try {
      const response = await fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const at = (sentAt + now()) / 2;
      return { status: response.status, headers: response.headers, text: await read(response), at };
    } catch (error) {
      if (error instanceof ProbeError) throw error;
      throw new ProbeError(reasonOf(error), { cause: error });
    }
  };
}

async function read({ body }: Response): Promise<string> {
  const bytes = await readWhole(body ?? [], mostBytes);
  if (!bytes) throw new ProbeError('too_large');
  return bytes.toString();
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return 'timeout';
  return String((cause as NodeJS.ErrnoException | undefined)?.code ?? 'no_answer');
}

/** What a page that somebody else wrote says, short enough for a line. */
export function short(text: unknown): string {
  const line = String(text).replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
