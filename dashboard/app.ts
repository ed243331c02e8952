/** Every address of the dashboard on one screen. */
import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import type { createErrorResponses } from './http/error-responses.tsx';
import type { OwnAddresses } from './http/own-address.ts';
import { seeOther } from './http/pages.ts';
import type { createStaticFiles } from './http/static.ts';
import type { createApi } from './routes/api.ts';
import type { createBackChannel } from './routes/back-channel.ts';
import type { createDoctor } from './routes/doctor.ts';
import type { createLicenceReceiver } from './routes/licence.ts';
import type { createOverview } from './routes/overview.tsx';
import type { createProbes } from './routes/probes.ts';
import type { createSignIn } from './routes/sign-in.tsx';

export interface AppDeps {
  readonly addresses: OwnAddresses;
  readonly answerErrors: ReturnType<typeof createErrorResponses>;
  readonly sendStatic: ReturnType<typeof createStaticFiles>;
  readonly signIn: ReturnType<typeof createSignIn>;
  readonly overview: ReturnType<typeof createOverview>;
  readonly api: ReturnType<typeof createApi>;
  readonly receiveLogout: ReturnType<typeof createBackChannel>;
  readonly receiveLicence: ReturnType<typeof createLicenceReceiver>;
  readonly answerDoctor: ReturnType<typeof createDoctor>;
  readonly probes: ReturnType<typeof createProbes>;
}

export function createApp({ addresses, answerErrors, ...routes }: AppDeps): Koa {
  const app = new Koa();
  const machines = createMachineRoutes(routes);
  const pages = createPageRoutes(routes);
  app.silent = true; // what is thrown is answered and logged by answerErrors
  app.use(answerErrors);
  app.use(machines.routes()).use(machines.allowedMethods());
  app.use(leadToOwnAddress(addresses));
  app.use(pages.routes()).use(pages.allowedMethods());
  return app;
}

/** The console, probes and programs come by whatever address reaches this process. */
function createMachineRoutes({
  api,
  receiveLogout,
  receiveLicence,
  answerDoctor,
  probes,
  sendStatic,
}: Pick<AppDeps, 'api' | 'receiveLogout' | 'receiveLicence' | 'answerDoctor' | 'probes' | 'sendStatic'>) {
  const router = new Router({ sensitive: true, strict: true });
  router.get('/live', probes.live);
  router.get('/ready', probes.ready);
  router.get('/api/v1/me', api.me);
  router.get('/api/v1/metrics', api.metrics);
  router.get('/api/v1/licence', api.licence);
  router.post('/licence', receiveLicence);
  router.post('/doctor', answerDoctor);
  router.post('/logout/backchannel', receiveLogout);
  router.get('/static/:name', sendStatic);
  return router;
}

function createPageRoutes({ signIn, overview }: Pick<AppDeps, 'signIn' | 'overview'>) {
  const router = new Router({ sensitive: true, strict: true });
  router.get('/', overview.show);
  router.get('/account', overview.showAccount);
  router.post('/queues/watch', overview.watchQueue);
  router.post('/queues/hide', overview.hideQueue);
  router.post('/queues/offer', overview.offer);
  router.post('/entries/watch', overview.watchEntry);
  router.post('/entries/hide', overview.hideEntry);
  router.get('/login', signIn.start);
  router.get('/login/callback', signIn.finish);
  router.get('/login/silent', signIn.startSilently);
  router.get('/silent-refresh.html', signIn.finishSilently);
  router.post('/logout', signIn.end);
  return router;
}

/** Cookies and redirect URIs belong to one host: who opens 127.0.0.1 instead of localhost is led over. */
function leadToOwnAddress(addresses: OwnAddresses) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method === 'GET' && addresses.isOtherSpelling(ctx)) return seeOther(ctx, `${addresses.of(ctx)}/`);
    await next();
  };
}
