/**
 * How the library's own errors are shown. A browser at the authorization endpoint gets our page; the
 * OAuth endpoints answer JSON whatever the caller prefers (RFC 6749 §5.2).
 */
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { ProblemError, problems } from '../../platform/errors.ts';

/** @param sendPage  writes an error as a page or as problem details */
export function createRenderError(
  sendPage: (ctx: KoaContextWithOIDC, problemError: ProblemError) => void,
): NonNullable<Configuration['renderError']> {
  return (ctx, out, error) => {
    if (ctx.path.startsWith('/oauth2/') && ctx.method === 'POST') {
      ctx.body = out;
      ctx.type = 'json';
      return;
    }
    sendPage(ctx, toProviderError(out.error, out.error_description, { status: ctx.status, cause: error }));
  };
}

/** What a person can be told who came here from an application and cannot be sent back to it. */
const explanations: Readonly<Record<string, { readonly title: string; readonly detail: string }>> = {
  invalid_client: {
    title: 'This application is not known here',
    detail:
      'Somebody sent you here to sign in to an application that is not registered. Tell those who run it.',
  },
  invalid_redirect_uri: {
    title: 'The application asks to send you somewhere else',
    detail:
      'The address to go back to is not registered for this application, so you are not sent there. Tell those who run it; the address must be registered exactly as it is asked for.',
  },
  SessionNotFound: {
    title: 'This sign-in is over',
    detail: 'It took too long, or it was finished in another tab. Start again from the application.',
  },
};

function toProviderError(
  code: string,
  description: string | undefined,
  { status, cause }: { readonly status: number; readonly cause: Error },
): ProblemError {
  if (code === 'temporarily_unavailable') {
    return new ProblemError(problems.storageUnavailable, 'Nothing was changed. Try again shortly.', {
      cause,
      headers: { 'Retry-After': '5' },
    });
  }
  if (status >= 500) {
    return new ProblemError(problems.serverError, 'It is logged under the request id below.', { cause });
  }
  const known = explanations[cause.name] ?? explanations[code];
  const { title, detail } = known ?? {
    title: 'The application asked in a way that is not understood',
    detail: `Tell those who run it: ${description ?? code}.`,
  };
  return new ProblemError({ code, status, title }, detail, { cause });
}
