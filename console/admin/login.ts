/** The console's own sign-in, without an application that asks for it: `/login`. */
import type { Context } from 'koa';
import { renderLogin } from '../../views/login.tsx';
import type { SignIn } from '../accounts/sign-in.ts';
import { ProblemError } from '../errors.ts';
import type { Csrf } from '../http/csrf.ts';
import { readForm } from '../http/form.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { UserRecord } from '../storage/records.ts';
import type { Visitors } from './visitor.ts';

export interface LoginDeps {
  readonly signIn: SignIn;
  readonly visitors: Visitors;
  readonly csrf: Csrf;
  readonly clientAddress: (ctx: Context) => string;
  readonly isSecure: boolean;
  /** What is told to somebody with wrong credentials. */
  readonly wrongCredentials: string;
  readonly onSignIn: (ctx: Context, outcome: { account: UserRecord | undefined; reason?: string }) => void;
}

/** A signed-in visitor goes home; there is no other target, so nobody can bring one along (S35). */
const home = '/';

export function createLogin(deps: LoginDeps) {
  const { signIn, visitors, csrf, clientAddress, isSecure, wrongCredentials, onSignIn } = deps;

  return {
    async show(ctx: Context): Promise<void> {
      if (await visitors.current(ctx)) return goHome(ctx);
      showForm(ctx, {});
    },
    async submit(ctx: Context): Promise<void> {
      const form = await readForm(ctx.req);
      csrf.check(ctx, form);
      const username = form.get('username') ?? '';
      try {
        const credentials = { username, password: form.get('password') ?? '', source: clientAddress(ctx) };
        const signedIn = await signIn(credentials);
        onSignIn(ctx, signedIn ?? { account: undefined, reason: 'wrong_credentials' });
        if (!signedIn) return refuse(ctx, 401, { username, problem: wrongCredentials });
        await visitors.start(ctx, signedIn.account.id, signedIn.at);
        goHome(ctx);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        onSignIn(ctx, { account: undefined, reason: error.problem.code });
        ctx.set(error.headers);
        const seconds = error.headers['Retry-After'];
        const wait = seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) };
        refuse(ctx, error.problem.status, { username, problem: error.message, ...wait });
      }
    },
  };

  function refuse(ctx: Context, status: number, shown: ShownLogin): void {
    ctx.status = status;
    showForm(ctx, shown);
  }

  function showForm(ctx: Context, shown: ShownLogin): void {
    setPageHeaders(ctx, isSecure);
    ctx.type = 'html';
    ctx.body = renderLogin({ action: '/login', csrf: csrf.token(ctx), ...shown });
  }
}

interface ShownLogin {
  readonly username?: string;
  readonly problem?: string;
  readonly retryAfterSeconds?: number;
}

function goHome(ctx: Context): void {
  ctx.status = 303;
  ctx.redirect(home);
}
