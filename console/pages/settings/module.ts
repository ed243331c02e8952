/** The pages of Settings: their addresses. */
import type Router from '@koa/router';
import { form, type Guard, query, upload, type WithForm } from '../../http/guards.ts';
import type { WithSession } from '../../login/signed-in.ts';
import type { Acts } from '../acts.ts';
import type { Forms } from '../forms.ts';
import type { PageTools } from '../page-tools.ts';
import { createAboutPage } from './about.ts';
import { createApiPage } from './api.ts';
import { createBrandingPage } from './branding.ts';
import { createKeyPage } from './keys.ts';
import { createSettingsPage } from './settings.ts';
import { createStartPage } from './start.ts';
import type { StartSteps } from './start-steps.ts';

export interface SettingsNeeds {
  readonly tools: PageTools;
  readonly acts: Acts;
  readonly forms: Forms;
  readonly steps: StartSteps;
  readonly signedIn: Guard<WithSession>;
  readonly csrf: Guard<WithForm, WithForm>;
  /** Leads to what waits for a second administrator. */
  readonly held: Guard<WithSession & WithForm>;
}

export function addSettingsRoutes(router: Router, needs: SettingsNeeds): void {
  const { tools, acts, forms, steps, signedIn, csrf, held } = needs;
  const start = createStartPage(tools, steps);
  const keys = createKeyPage(tools, acts);
  const branding = createBrandingPage(tools, forms);
  const api = createApiPage(tools);
  router.get('/settings', query, signedIn, createSettingsPage(tools));
  router.get('/settings/start', query, signedIn, start.show);
  router.post('/settings/start', form, csrf, signedIn, held, start.change);
  router.get('/settings/branding', query, signedIn, branding.show);
  router.post('/settings/branding', form, csrf, signedIn, held, branding.change);
  router.post('/settings/branding/logo', signedIn, upload, csrf, held, branding.putLogo);
  router.get('/settings/api', query, signedIn, api.show);
  router.get('/settings/api/:interface', query, signedIn, api.explore);
  router.get('/settings/keys', query, signedIn, keys.show);
  router.post('/settings/keys', form, csrf, signedIn, held, keys.change);
  router.get('/settings/about', query, signedIn, createAboutPage(tools));
}
