/** First-run set-up: `/setup?token=…`, the link that the first start prints. */
import type { Context } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import { renderSetup, type SetupModel } from '../../views/setup.tsx';
import type { Setup } from '../accounts/setup.ts';
import type { Csrf } from '../http/csrf.ts';
import { presentationOf } from '../http/display/presentation.ts';
import type { FormContext } from '../http/guards.ts';
import { pageElsewhere } from '../http/own-host.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { UserRecord } from '../storage/records.ts';
import type { CurrentSession } from './current-session.ts';

export interface SetupPageDeps {
  readonly setup: Setup;
  readonly currentSession: Pick<CurrentSession, 'start'>;
  readonly csrf: Pick<Csrf, 'token'>;
  readonly isSecure: boolean;
  /** `CONSOLE_URL`. */
  readonly url: string;
  readonly minPasswordLength: number;
  /** Resolves when a kill does not take the entry away. */
  readonly onSetup: (ctx: Context, account: UserRecord) => Promise<void>;
}

export function createSetupPage(deps: SetupPageDeps) {
  const { setup, currentSession, csrf, isSecure, minPasswordLength, onSetup } = deps;
  const own = new URL(deps.url);

  return {
    async show(ctx: FormContext): Promise<void> {
      const token = ctx.state.form.get('token') ?? '';
      await setup.checkToken(token);
      showForm(ctx, token, { username: '', email: '' });
    },
    async submit(ctx: FormContext): Promise<void> {
      const { form } = ctx.state;
      const token = form.get('token') ?? '';
      const username = form.get('username') ?? '';
      const email = form.get('email') ?? '';
      const [password, again] = [form.get('password'), form.get('password_again')];
      const user = { username, email: email || undefined };
      let isPasswordAtFault = false;
      try {
        setup.checkUser(user);
        isPasswordAtFault = password !== again;
        const { account, at } = await setup.createAdministrator(token, {
          ...user,
          password: checkRepeated(password, again),
        });
        await onSetup(ctx, account);
        await currentSession.start(ctx, account.id, at);
      } catch (error) {
        if (!(error instanceof ProblemError) || error.problem.status !== 400) throw error;
        ctx.status = 400;
        isPasswordAtFault ||= error.problem === problems.weakPassword;
        return showForm(ctx, token, { username, email, problem: error.message, isPasswordAtFault });
      }
      ctx.status = 303;
      // Its place among the management pages.
      ctx.redirect('/settings/start');
    },
  };

  function showForm(
    ctx: Context,
    setupToken: string,
    shown: Pick<SetupModel, 'username' | 'email' | 'problem' | 'isPasswordAtFault'>,
  ) {
    setPageHeaders(ctx, isSecure);
    ctx.type = 'html';
    ctx.body = renderSetup(
      {
        action: '/setup',
        csrf: csrf.token(ctx),
        setupToken,
        minPasswordLength,
        ownAddress: pageElsewhere(ctx, own, '/setup', setupToken),
        ...shown,
      },
      presentationOf(ctx),
    );
  }
}

/** @throws {ProblemError} when the two differ */
export function checkRepeated(password = '', again = ''): string {
  if (password !== again)
    throw new ProblemError(problems.invalidRequest, 'The two passwords are not the same.');
  return password;
}
