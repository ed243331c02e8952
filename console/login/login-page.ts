/** The sign-in page of an authorization request, as it is shown: to whom, and with which ways in. */
import type { Context } from 'koa';
import type { ProblemError } from '../../platform/errors.ts';
import { renderLogin } from '../../views/login.tsx';
import { renderNotSetUp } from '../../views/not-set-up.tsx';
import type { UpstreamSignIn } from '../accounts/upstream-sign-in.ts';
import { nameOfClient } from '../clients/client-name.ts';
import type { Clients } from '../clients/clients.ts';
import type { Csrf } from '../http/csrf.ts';
import { presentationOf } from '../http/display/presentation.ts';
import { originElsewhere } from '../http/own-host.ts';
import { requestIdOf } from '../http/request-id.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { UserRecord } from '../storage/records.ts';
import { type Interaction, redirectOrigins } from './interaction.ts';

export interface LoginPageDeps {
  readonly csrf: Pick<Csrf, 'token'>;
  readonly clients: Pick<Clients, 'find'>;
  readonly findUser: (id: string) => Promise<UserRecord | undefined>;
  readonly upstream: Pick<UpstreamSignIn, 'choices' | 'confirmingChoice' | 'directoryNames'>;
  /** Whether there is anybody who could sign in. */
  readonly isSetUp: () => Promise<boolean>;
  /** `CONSOLE_URL`. */
  readonly url: string;
  readonly isSecure: boolean;
}

export interface LoginPage {
  show(ctx: Context, interaction: Interaction, shown?: ShownLogin): Promise<void>;
  /** What was wrong with a name, a password or their number. */
  showError(ctx: Context, interaction: Interaction, error: ProblemError, username: string): Promise<void>;
  /** What was wrong at an upstream provider, in its own sentence. */
  showUpstreamError(ctx: Context, interaction: Interaction, error: ProblemError): Promise<void>;
}

export interface ShownLogin {
  readonly username?: string | undefined;
  readonly problem?: string;
  readonly retryAfterSeconds?: number;
  readonly reference?: { readonly code: string; readonly requestId: string };
}

export function createLoginPage({
  csrf,
  clients,
  findUser,
  upstream,
  isSetUp,
  url,
  isSecure,
}: LoginPageDeps): LoginPage {
  const own = new URL(url);

  return {
    show,
    async showError(ctx, interaction, error, username) {
      ctx.status = error.problem.status;
      ctx.set(error.headers);
      const seconds = error.headers['Retry-After'];
      const wait = seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) };
      await show(ctx, interaction, { username, problem: error.message, ...wait });
    },
    async showUpstreamError(ctx, interaction, { message, problem: { code, status } }) {
      ctx.status = status;
      const reference = { code, requestId: requestIdOf(ctx.req) };
      await show(ctx, interaction, { problem: message, reference });
    },
  };

  async function show(ctx: Context, interaction: Interaction, shown: ShownLogin = {}): Promise<void> {
    const path = `/login/${interaction.uid}`;
    const known = await knownAccount(interaction);
    setPageHeaders(ctx, isSecure, redirectOrigins(interaction));
    ctx.type = 'html';
    if (!(await isSetUp())) {
      ctx.body = renderNotSetUp(presentationOf(ctx));
      return;
    }
    ctx.body = renderLogin(
      {
        action: path,
        csrf: csrf.token(ctx),
        application: { name: await nameOfApplication(String(interaction.params.client_id)) },
        reauthenticate: known !== undefined,
        // Somebody known has one way to prove it: nobody else's identity would do.
        confirmWith: known && upstream.confirmingChoice(path, known),
        providers: known ? [] : await upstream.choices(path),
        directories: await upstream.directoryNames(),
        ownAddress: originElsewhere(ctx, own),
        username: known?.username ?? hintedName(interaction),
        ...shown,
      },
      presentationOf(ctx),
    );
  }

  async function nameOfApplication(id: string): Promise<string> {
    const client = await clients.find(id);
    return client ? nameOfClient(client) : id;
  }

  /** Somebody who is signed in and has to confirm it. */
  async function knownAccount({ prompt, session }: Interaction): Promise<UserRecord | undefined> {
    const isAgain = prompt.reasons.some((reason) => confirmations.has(reason));
    return isAgain && session ? findUser(session.accountId) : undefined;
  }
}

/** Why the library asks somebody anew whom it knows. */
const confirmations = new Set(['login_prompt', 'max_age', 'max_age_zero']);

/** Whether a sign-in that the provider remembers is too little: the application asks for a new proof. */
export function mustProve({ prompt, params }: Interaction): boolean {
  return prompt.reasons.some((reason) => confirmations.has(reason)) || params.max_age !== undefined;
}

function hintedName({ params }: Interaction): string | undefined {
  return typeof params.login_hint === 'string' ? params.login_hint.slice(0, 256) : undefined;
}
