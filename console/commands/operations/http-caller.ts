/** Operations of a console that is elsewhere, over HTTPS with an access token. */

import { setTimeout as delay } from 'node:timers/promises';
import { type OwnReason, statusReason } from '../../../platform/names/reason-codes.ts';
import { CommandError } from '../runner/command.ts';
import { ReportedFailure } from '../runner/reported-failure.ts';
import type { ApiAnswer, ApiCaller, ApiRequest, OperationId } from './api-caller.ts';
import { codeOf } from './changes.ts';
import { LostAnswerError } from './lost-answer.ts';
import { operationPaths } from './operation-paths.ts';

const timeoutMs = 60_000;

export interface HttpCallerDeps {
  /** Of the console, without a slash at its end. */
  readonly url: string;
  /** @param refused  the token that the console would not take any more; undefined at first. @returns undefined: there is no other */
  readonly token: (refused?: string) => Promise<string | undefined>;
  readonly fetch: typeof fetch;
}

export function createHttpCaller({ url, token, fetch }: HttpCallerDeps): ApiCaller {
  return {
    async call(id, request = {}) {
      const signal = AbortSignal.timeout(timeoutMs);
      for (let tries = 1; ; tries++) {
        try {
          return await answerOf(await answered(id, request, signal), { url, id, request });
        } catch (error) {
          if (request.idempotencyKey === undefined || signal.aborted) throw error;
          const isPending = codeOf(error) === 'idempotency_in_progress';
          if (!isPending && !(error instanceof CutOffError && tries === 1)) throw error;
          await delay(isPending ? 1000 : 0);
        }
      }
    },
    async *stream(id, request = {}) {
      const ending = new AbortController();
      const patience = setTimeout(() => ending.abort(), timeoutMs);
      try {
        const response = await answered(id, request, ending.signal).finally(() => clearTimeout(patience));
        if (!response.ok || !response.body) {
          await answerOf(response, { url, id, request });
          return;
        }
        const decoder = new TextDecoder();
        for await (const bytes of response.body) yield decoder.decode(bytes, { stream: true });
      } finally {
        ending.abort();
      }
    },
  };

  async function answered(id: OperationId, request: ApiRequest, signal: AbortSignal): Promise<Response> {
    const first = await token();
    if (first === undefined) throw signedOut(url);
    const response = await send(id, request, first, signal);
    if (response.status !== 401) return response;
    const second = await token(first);
    return second === undefined ? response : send(id, request, second, signal);
  }

  async function send(
    id: OperationId,
    request: ApiRequest,
    bearer: string,
    signal: AbortSignal,
  ): Promise<Response> {
    const [method = '', path = ''] = operationPaths[id].split(' ');
    const address = `${url}/api/v1${filled(path, request.params)}${queryOf(request)}`;
    try {
      return await fetch(address, {
        method,
        headers: headersOf(request, bearer),
        ...(request.body && { body: JSON.stringify(request.body) }),
        redirect: 'error',
        signal,
      });
    } catch (cause) {
      throw isCutOff(cause) ? cutOff({ url, id, request }, cause) : unreachable(url, cause);
    }
  }
}

/** What was asked where. */
interface Asked {
  readonly url: string;
  readonly id: OperationId;
  readonly request: ApiRequest;
}

function cutOff({ url, id, request }: Asked, cause: unknown): CommandError {
  return operationPaths[id].startsWith('GET ')
    ? unreachable(url, cause)
    : new CutOffError(url, request, cause);
}

/** A change was sent, and its answer never came whole. */
class CutOffError extends LostAnswerError {
  constructor(url: string, request: ApiRequest, cause: unknown) {
    super(`The console at ${url}`, request, { cause });
  }
}

/** What ends a connection that there was; any other error comes before something is sent. */
const endsOfConnections = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

function isCutOff(cause: unknown): boolean {
  const { code } = ((cause as Error).cause ?? cause) as NodeJS.ErrnoException;
  return (cause as Error).name === 'TimeoutError' || endsOfConnections.includes(code ?? '');
}

/** @throws {CommandError} `bad_address` where a token would be readable on its way */
export function consoleAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !isPlain) || url.search || url.hash || url.username) {
    const isDirectory = /^ldaps?:$/.test(url?.protocol ?? '');
    const hint = isDirectory ? ' The address of a directory is --ldap-url.' : '';
    throw new CommandError(
      'bad_address',
      `--url is the address of a console, such as https://console.example.com; http only on this machine.${hint}`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

export function unreachable(address: string, cause: unknown): CommandError {
  const { code } = ((cause as Error).cause ?? cause) as NodeJS.ErrnoException;
  const reason = code ?? (cause as Error).name;
  return new CommandError(
    'no_console',
    `No console answers at ${address} (${reason}). Check --url, and that the console runs.`,
    { cause },
  );
}

function signedOut(url: string): CommandError {
  return new CommandError('signed_out', `Nobody is signed in at ${url} here: npx console login --url ${url}`);
}

function filled(path: string, params: ApiRequest['params'] = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

function queryOf({ query = {}, isDryRun, takesOver }: ApiRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)]),
  );
  const said = [...(isDryRun ? [['dryRun', 'true']] : []), ...(takesOver ? [['takeOver', 'true']] : [])];
  const text = new URLSearchParams([...pairs, ...said]).toString();
  return text === '' ? '' : `?${text}`;
}

function headersOf(
  { body, ifMatch, isNew, idempotencyKey }: ApiRequest,
  token: string,
): Record<string, string> {
  return {
    Authorization: `Bearer ${token}`,
    ...(body && { 'Content-Type': 'application/json' }),
    ...(ifMatch !== undefined && { 'If-Match': `"${ifMatch}"` }),
    ...(isNew && { 'If-None-Match': '*' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
}

type Body = Readonly<Record<string, unknown>> | undefined;

/** @throws {CommandError} when it ends too soon */
async function bodyOf(response: Response, asked: Asked): Promise<Body> {
  const text = await response.text().catch((cause) => {
    throw cutOff(asked, cause);
  });
  try {
    return JSON.parse(text) as Body;
  } catch {
    return undefined; // none, or of whoever stands between
  }
}

/** @throws {ReportedFailure} what the console says in problem details (RFC 9457) */
async function answerOf(response: Response, asked: Asked): Promise<ApiAnswer> {
  const { url, request } = asked;
  const body = await bodyOf(response, asked);
  if (response.status === 202 && body?.state === 'waiting' && typeof body.operation === 'string') {
    throw new ReportedFailure({
      exitCode: 1,
      code: 'approval_pending' satisfies OwnReason,
      message: `Nothing has changed yet: this waits for a second administrator until ${body.expiresAt}, as ${body.id} (npx console approval show ${body.id}).`,
    });
  }
  if (response.ok) {
    const version = /^"(.+)"$/.exec(response.headers.get('etag') ?? '')?.[1];
    const isReplayed = response.headers.get('idempotency-replayed') === 'true';
    const warnings = body?.warnings;
    return {
      // What would come of it stands beside the warnings.
      body: request.isDryRun ? (body?.result ?? undefined) : body,
      version,
      ...(Array.isArray(warnings) && { warnings: warnings as string[] }),
      ...(isReplayed && { isReplayed }),
    };
  }
  const { code, detail, errors, requestId } = body ?? {};
  const how = code === 'reauth_required' ? 'That is' : 'Sign in at this console anew';
  const hint = response.status === 401 ? ` ${how}: npx console login --url ${url}` : '';
  throw new ReportedFailure({
    exitCode: 1,
    code: typeof code === 'string' ? code : statusReason(response.status),
    message: `${typeof detail === 'string' ? detail : `The console at ${url} answered ${response.status}.`}${hint}`,
    ...(Array.isArray(errors) && { errors: errors as object[] }),
    ...(typeof requestId === 'string' && { requestId }),
  });
}
