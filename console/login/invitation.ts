/** `/invitation?token=…`: the link by which somebody chooses a password. Nobody is signed in by it. */
import type { Context } from 'koa';
import { ProblemError } from '../../platform/errors.ts';
import { renderInvitation, renderPasswordChosen } from '../../views/invitation.tsx';
import type { Invitations } from '../accounts/users/invitations.ts';
import type { Csrf } from '../http/csrf.ts';
import { presentationOf } from '../http/display/presentation.ts';
import type { FormContext } from '../http/guards.ts';
import { pageElsewhere } from '../http/own-host.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { UserRecord } from '../storage/records.ts';
import { checkRepeated } from './setup.ts';

export interface InvitationPageDeps {
  readonly invitations: Pick<Invitations, 'find' | 'accept'>;
  readonly csrf: Pick<Csrf, 'token'>;
  readonly isSecure: boolean;
  /** `CONSOLE_URL`. */
  readonly url: string;
  readonly minPasswordLength: number;
  /** Resolves when a kill does not take the entry away. */
  readonly onAccepted: (ctx: Context, account: UserRecord) => Promise<void>;
}

export function createInvitationPage(deps: InvitationPageDeps) {
  const { invitations, csrf, isSecure, minPasswordLength, onAccepted } = deps;
  const own = new URL(deps.url);

  return {
    async show(ctx: FormContext): Promise<void> {
      const token = ctx.state.form.get('token') ?? '';
      showForm(ctx, token, await invitations.find(token));
    },
    async submit(ctx: FormContext): Promise<void> {
      const { form } = ctx.state;
      const token = form.get('token') ?? '';
      const invited = await invitations.find(token);
      try {
        const password = checkRepeated(form.get('password'), form.get('password_again'));
        const account = await invitations.accept(token, password);
        await onAccepted(ctx, account);
        showPage(
          ctx,
          renderPasswordChosen({ username: account.username, loginHref: '/' }, presentationOf(ctx)),
        );
      } catch (error) {
        if (!(error instanceof ProblemError) || error.problem.status !== 400) throw error;
        ctx.status = 400;
        showForm(ctx, token, invited, error.message);
      }
    },
  };

  function showForm(ctx: Context, invitation: string, { username }: UserRecord, problem?: string): void {
    const ownAddress = pageElsewhere(ctx, own, '/invitation', invitation);
    const shown = { invitation, username, minPasswordLength, ownAddress, problem };
    showPage(
      ctx,
      renderInvitation({ action: '/invitation', csrf: csrf.token(ctx), ...shown }, presentationOf(ctx)),
    );
  }

  function showPage(ctx: Context, page: string): void {
    setPageHeaders(ctx, isSecure);
    ctx.type = 'html';
    ctx.body = page;
  }
}
