/** Sign-in of a program that has no browser, by a code that a person types into theirs (RFC 8628). */
import type { Context } from 'koa';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { ProblemError, problems } from '../../platform/errors.ts';
import { type Budget, createThrottle, networkOfSource } from '../accounts/guessing/throttle.ts';
import type { ArtifactStore } from '../storage/storage.ts';

/** What a person sees of it. */
export interface DevicePages {
  /** @param secret  goes back with the form. @param problem  of the code that was typed */
  ask(
    ctx: Context,
    model: { readonly secret: string; readonly userCode: string; readonly problem?: string },
  ): void;
  confirm(ctx: Context, model: DeviceQuestion): Promise<void>;
  done(ctx: Context, outcome: 'allowed' | 'denied'): void;
}

export interface DeviceQuestion {
  readonly secret: string;
  /** As it is shown on the device. */
  readonly userCode: string;
  readonly application: string;
  /** Who asked for the code: its address and what it calls itself. */
  readonly device: { readonly address: string; readonly userAgent: string };
  /** Of the session of this browser. */
  readonly accountId: string | undefined;
}

export interface DeviceFlowDeps {
  readonly pages: DevicePages;
  readonly artifacts: ArtifactStore;
  readonly clientAddress: (ctx: Context) => string;
  /** Epoch milliseconds that go on evenly. */
  readonly steady: () => number;
}

export const devicePath = '/device';
/** Seconds in which a code has to be typed and allowed. */
export const deviceCodeSeconds = 600;
/** What a device waits between two questions, seconds (RFC 8628 §3.5); a little earlier is no fault of its clock. */
const intervalSeconds = 5;
const earliestSeconds = 4;
/** Wrong codes, and codes that are asked for, of one network: 20^8 codes are not guessed so (RFC 8628 §5.1). */
const guesses = { attempts: 10, windowSeconds: 300 } as const;
const requests = { attempts: 30, windowSeconds: 300 } as const;

type Feature = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** For the library. Its letters have no vowels and nothing that looks like a digit (RFC 8628 §6.1). */
export function deviceFeature({
  pages,
  clientAddress,
}: Pick<DeviceFlowDeps, 'pages' | 'clientAddress'>): Feature {
  return {
    enabled: true,
    charset: 'base-20',
    mask: '****-****',
    deviceInfo: (ctx) => ({ address: clientAddress(ctx), userAgent: ctx.get('User-Agent').slice(0, 128) }),
    async userCodeInputSource(ctx, _form, out, error) {
      const name = error?.name;
      if (name === 'AbortedError') return pages.done(ctx, 'denied');
      const problem =
        error && (problemsOfCodes.get(name ?? '') ?? 'Something went wrong. Type the code once more.');
      if (name === 'NotFoundError') (ctx.state as DeviceState).isWrongCode = true;
      if (problem !== undefined && !(out && ctx.status >= 400)) ctx.status = 400;
      const userCode = (ctx.state as DeviceState).userCode ?? '';
      pages.ask(ctx, { secret: secretIn(ctx), userCode, ...(problem === undefined ? {} : { problem }) });
    },
    userCodeConfirmSource: (ctx, _form, client, device, userCode) =>
      pages.confirm(ctx, {
        secret: secretIn(ctx),
        userCode,
        application: client.clientName ?? client.clientId,
        device: device as unknown as DeviceQuestion['device'],
        accountId: ctx.oidc.session?.accountId,
      }),
    successSource: async (ctx) => pages.done(ctx, 'allowed'),
  };
}

const problemsOfCodes: ReadonlyMap<string, string> = new Map([
  ['NoCodeError', 'Type the code that the program shows.'],
  ['NotFoundError', 'There is no such code. Compare it with what the program shows.'],
  ['ExpiredError', 'This code has expired. Start anew in the program.'],
  ['AlreadyUsedError', 'This code has been used already. Start anew in the program.'],
]);

interface DeviceState {
  userCode?: string;
  isWrongCode?: boolean;
}

function secretIn({ oidc }: KoaContextWithOIDC): string {
  return (oidc.session?.state as { secret?: string } | undefined)?.secret ?? '';
}

/** Rules of ours around the library's answers. */
export function createDeviceFlow({ artifacts, clientAddress, steady }: Omit<DeviceFlowDeps, 'pages'>) {
  const guessing = createThrottle({ artifacts, steady, ...guesses });
  const asking = createThrottle({ artifacts, steady, ...requests });
  const budget = (what: string, ctx: Context) => `${what} ${networkOfSource(clientAddress(ctx))}` as Budget;

  return {
    /** The page, for a person. @throws {ProblemError} `too_many_requests` */
    async page(ctx: Context, library: () => Promise<unknown>): Promise<void> {
      const state = ctx.state as DeviceState;
      if (ctx.method !== 'POST') {
        // The library would send a code of the address on at once: a person is to compare it first (RFC 8628 §3.3.1).
        const { user_code: userCode } = ctx.query;
        if (typeof userCode === 'string') state.userCode = userCode.slice(0, 16);
        ctx.querystring = '';
        await library();
        return;
      }
      const guess = budget('user-code', ctx);
      await guessing.take([guess]);
      await library().catch(withoutSession);
      if (!state.isWrongCode) await guessing.giveBack(guess);
    },
    /** `POST /oauth2/device_authorization`. @throws {ProblemError} `too_many_requests` */
    async authorization(ctx: Context, library: () => Promise<unknown>): Promise<void> {
      await asking.take([budget('device', ctx)]);
      await library();
      const body = ctx.body as Record<string, unknown> | undefined;
      if (ctx.status === 200 && body?.device_code) ctx.body = { ...body, interval: intervalSeconds };
    },
    /** Of a token request that is still to wait: whether it came too soon (RFC 8628 §3.5). */
    async slowDown(ctx: Context): Promise<void> {
      const body = ctx.body as { error?: string } | undefined;
      if (body?.error !== 'authorization_pending') return;
      const { oidc } = ctx as unknown as KoaContextWithOIDC;
      const { count } = await artifacts.count(
        'DevicePoll',
        String(oidc.params?.device_code),
        earliestSeconds,
      );
      if (count > 1)
        ctx.body = { error: 'slow_down', error_description: `ask every ${intervalSeconds} s at most` };
    },
  };
}

/** The library shows a form anew and has no session to bind it to: there was none, or it has expired (S31). */
function withoutSession(error: unknown): never {
  if (!(error instanceof TypeError) || !error.message.startsWith('persist can only be called')) throw error;
  const detail = 'The form is too old, or cookies are switched off. Open the page anew and try again.';
  throw new ProblemError(problems.csrfFailed, detail, { cause: error });
}

/** What the person has still to do is no refusal. */
export function isStillWaiting(error: Error): boolean {
  return (error as { error?: string }).error === 'authorization_pending';
}
