/** What this application sees of the console from its own host; for `npx console doctor`. */
import type { ConsoleFetch } from './identity/console-fetch.ts';
import { createCheckFresh } from './identity/freshness.ts';
import type { CheckSigned } from './identity/signed-tokens.ts';
import type { Settings } from './settings.ts';

export interface Examination {
  readonly issuerUrl: string;
  readonly jwksUri: string;
  readonly requireHttps: boolean;
  readonly audience: string;
  readonly addresses: readonly string[];
  /** Epoch milliseconds by the clock of this host. */
  readonly now: number;
  readonly keySet: { readonly kids: readonly string[] } | Unreadable;
  readonly discovery: { readonly issuer: string | null } | Unreadable;
}

export interface Unreadable {
  /** One word of the network, `status_<n>`, or `not_json`. */
  readonly failure: string;
}

/**
 * For the console alone: it shows settings of this application, and makes requests.
 *
 * @param request  signed by the console, with `typ` `doctor+jwt`
 * @throws {InvalidTokenError} | {KeySetError}
 */
export type Examine = (request: string) => Promise<Examination>;

export interface ExamineDeps {
  readonly settings: Settings;
  readonly clientId: string;
  readonly checkSigned: CheckSigned;
  readonly fetch: ConsoleFetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A clock that is wrong is one of the things that are looked for. */
const skewSeconds = 300;

export function createExamine({ settings, clientId, checkSigned, fetch, now }: ExamineDeps): Examine {
  const { issuer, jwksUri, requiresHttps, audience, addresses } = settings;
  const checkFresh = createCheckFresh({ now, skewSeconds });

  return async (request) => {
    checkFresh(
      await checkSigned(request, {
        audience: clientId,
        types: ['doctor+jwt'],
        requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti'],
        foreignClaims: ['nonce', 'events', 'scope', 'licence'],
      }),
    );
    const [keySet, discovery] = await Promise.all([
      read(jwksUri, ({ keys }) => ({
        kids: Array.isArray(keys) ? keys.map((key: { kid?: unknown }) => String(key?.kid)) : [],
      })),
      read(`${issuer}/.well-known/openid-configuration`, (document) => ({
        issuer: typeof document.issuer === 'string' ? document.issuer : null,
      })),
    ]);
    return {
      issuerUrl: issuer,
      jwksUri,
      requireHttps: requiresHttps,
      audience,
      addresses,
      now: now(),
      keySet,
      discovery,
    };
  };

  async function read<T>(
    url: string,
    take: (document: Readonly<Record<string, unknown>>) => T,
  ): Promise<T | Unreadable> {
    try {
      const response = await fetch(url, { headers: { Accept: 'application/json' } });
      if (response.status !== 200) {
        await response.body?.cancel();
        return { failure: `status_${response.status}` };
      }
      return take((await response.json()) as Record<string, unknown>);
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }
}

function failureOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'not_json';
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return 'timeout';
  return String((cause as NodeJS.ErrnoException | undefined)?.code ?? 'no_answer');
}
