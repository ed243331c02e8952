import { startCommand } from '../../platform/installation.ts';
import { statusReason } from '../../platform/names/reason-codes.ts';
import { type Command, CommandError, flags } from './runner/command.ts';
import { ReportedFailure } from './runner/reported-failure.ts';

const timeoutMs = 10_000;

interface TokenResponse {
  readonly access_token: string;
  readonly [member: string]: unknown;
}

export const tokenCommand: Command = {
  name: 'token',
  isLocal: true,
  summary: 'Asks the running console for an access token and prints it.',
  flags: flags({
    '--client I': 'the client id',
    '--secret-file F': 'the file that holds its secret; - is standard input',
    '[--scope "…"]': 'scopes to ask for, separated by spaces',
    '[--resource U]':
      'what the token is for: <CONSOLE_URL>/svc (default), or <CONSOLE_URL>/api for the admin API',
  }),
  async run(input, { settings, readSecret, fetch, whereabouts }) {
    // A console that runs here is asked where it says that it is, whatever this shell says.
    const running = await whereabouts?.();
    const url = running?.url ?? (await settings()).url;
    const secret = await readSecret(input.text('secret-file')!);
    const [scope, resource] = [input.text('scope'), input.text('resource')];
    const response = await ask(fetch, `${url}/oauth2/token`, {
      headers: { Authorization: basic(input.text('client')!, secret) },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(scope ? { scope } : {}),
        ...(resource ? { resource } : {}),
      }),
    });
    const answer = await readAnswer(response);
    return { text: answer.access_token, json: answer };
  },
};

async function ask(
  send: typeof fetch,
  address: string,
  request: { readonly headers: Record<string, string>; readonly body: URLSearchParams },
): Promise<Response> {
  try {
    return await send(address, {
      ...request,
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (cause) {
    throw new CommandError(
      'no_console',
      `No console answers at ${address} (${reasonOf(cause)}). Start it with ${startCommand()}, or set CONSOLE_URL to where it is.`,
      { cause },
    );
  }
}

/** @throws {ReportedFailure} with the error of the token endpoint (RFC 6749 §5.2) */
async function readAnswer(response: Response): Promise<TokenResponse> {
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.ok && typeof answer.access_token === 'string') return answer as TokenResponse;
  const code = typeof answer.error === 'string' ? answer.error : statusReason(response.status);
  const description = typeof answer.error_description === 'string' ? `: ${answer.error_description}` : '';
  throw new ReportedFailure({ exitCode: 1, code, message: `The console refused: ${code}${description}` });
}

/** Form-encoded, the one spelling that holds for every id and secret (RFC 6749 §2.3.1). */
function basic(id: string, secret: string): string {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function reasonOf(error: unknown): string {
  const cause = (error as { cause?: NodeJS.ErrnoException }).cause;
  return cause?.code ?? (error as Error).name;
}
