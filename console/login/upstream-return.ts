/** An authorization request goes on after a sign-in at an upstream provider. */
import type { Context } from 'koa';
import type { Provider } from 'oidc-provider';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { SignedIn } from '../accounts/sign-in.ts';
import type { UpstreamReturn } from '../accounts/upstream-sign-in.ts';
import { byProvider } from '../oidc/sign-in-method.ts';
import type { BrowserSession, BrowserSessions } from './browser-session.ts';
import type { Interaction } from './interaction.ts';
import type { LoginPage } from './login-page.ts';

export interface UpstreamReturnDeps {
  readonly provider: () => Provider;
  readonly browserSessions: Pick<BrowserSessions, 'current' | 'start'>;
  readonly page: Pick<LoginPage, 'showUpstreamError'>;
}

/**
 * The browser comes back to one address for all requests, where the cookie of this one (limited to its own
 * path) does not come along. That it is the same browser has been proven by another cookie; the request
 * itself is bound to it once more when it is resumed.
 */
export function createUpstreamReturn({
  provider,
  browserSessions,
  page,
}: UpstreamReturnDeps): UpstreamReturn {
  return {
    async complete(ctx, signedIn, interactionUid = '') {
      const interaction = await find(interactionUid);
      if (!interaction) {
        throw new ProblemError(
          { ...problems.csrfFailed, title: 'This sign-in is over' },
          'It took too long, or was finished in another tab. Start it again from the application.',
        );
      }
      const session = await sessionOf(ctx, signedIn);
      // Of another account, or over: the request goes on with the session that has just begun.
      if (interaction.session?.uid !== session.uid) Object.assign(interaction, { session: undefined });
      const { account, at } = signedIn;
      interaction.result = {
        ...interaction.lastSubmission,
        login: { accountId: account.id, ts: at, ...byProvider(), remember: false },
      };
      await interaction.persist();
      ctx.status = 303;
      ctx.set('Cache-Control', 'no-store');
      ctx.redirect(interaction.returnTo);
      return { uid: session.uid, endsAt: session.endsAt + at - session.startedAt };
    },
    async showError(ctx, error, interactionUid = '') {
      const interaction = await find(interactionUid);
      if (interaction) await page.showUpstreamError(ctx, interaction, error);
      return interaction !== undefined;
    },
  };

  async function find(uid: string): Promise<Interaction | undefined> {
    const interaction = (await provider().Interaction.find(uid)) as Interaction | undefined;
    return interaction?.prompt.name === 'login' ? interaction : undefined;
  }

  /** The live one of this account, which its applications share; else a new one, and that of another account ends. */
  async function sessionOf(ctx: Context, { account, at }: SignedIn): Promise<BrowserSession> {
    const live = await browserSessions.current(ctx);
    return live?.accountId === account.id ? live : browserSessions.start(ctx, account.id, at, byProvider());
  }
}
