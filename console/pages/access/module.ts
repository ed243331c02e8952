/** The pages of Access: their addresses. */
import type Router from '@koa/router';
import { form, type Guard, longForm, query, type WithForm } from '../../http/guards.ts';
import type { WithSession } from '../../login/signed-in.ts';
import type { PermissionsOf } from '../../operations/privileges.ts';
import type { Acts } from '../acts.ts';
import type { Forms } from '../forms.ts';
import type { ListVersions } from '../live/new-items.ts';
import type { Live } from '../live/streams.ts';
import type { PageTools } from '../page-tools.ts';
import { createApplicationPages } from './applications.ts';
import { createApprovalPages } from './approvals.ts';
import { createClientPages } from './clients/client-pages.ts';
import { createEffectivePage } from './effective.ts';
import { createElevationPage } from './elevation.ts';
import { createProviderPages } from './identity-providers/provider-pages.ts';
import { createRolePages } from './roles/role-pages.ts';
import { createSessionPages, type KeyOfSession } from './sessions.ts';
import { createUserPages } from './users.ts';

export interface AccessNeeds {
  readonly tools: PageTools;
  readonly acts: Acts;
  readonly forms: Forms;
  readonly live: Live;
  readonly listVersions: ListVersions;
  /** Of this console. */
  readonly origin: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** `CONSOLE_ELEVATION_MINUTES`. */
  readonly elevationMinutes: number;
  readonly keyOfSession: KeyOfSession;
  /** What a role opens at the members. */
  readonly permissionsOf: PermissionsOf;
  readonly signedIn: Guard<WithSession>;
  readonly csrf: Guard<WithForm, WithForm>;
  /** Leads to what waits for a second administrator. */
  readonly held: Guard<WithSession & WithForm>;
}

export function addAccessRoutes(router: Router, needs: AccessNeeds): void {
  const { tools, acts, forms, live, origin, now, signedIn, csrf, held } = needs;
  const users = createUserPages(tools, acts, forms, origin);
  const sessions = createSessionPages(tools, acts, { origin, keyOfSession: needs.keyOfSession, now });
  const roles = createRolePages(tools, acts, forms, origin, needs.permissionsOf);
  const effective = createEffectivePage(tools, acts);
  const clients = createClientPages(tools, acts, forms, origin, now);
  const approvals = createApprovalPages(tools, acts);
  const applications = createApplicationPages(tools, acts, forms, origin);
  const providers = createProviderPages(tools, acts, forms, origin);
  const elevation = createElevationPage(tools, acts, needs.elevationMinutes);
  router.get('/account/elevation', query, signedIn, elevation.show);
  router.post('/account/elevation', form, csrf, signedIn, held, elevation.change);
  router.get('/access/users', query, signedIn, users.list);
  router.post('/access/users', form, csrf, signedIn, held, users.create);
  router.get('/access/users/:user', query, signedIn, users.show);
  router.post('/access/users/:user', form, csrf, signedIn, held, users.change);
  router.get('/access/roles', query, signedIn, roles.list);
  router.post('/access/roles', form, csrf, signedIn, held, roles.create);
  router.get('/access/roles/:role', query, signedIn, roles.show);
  router.post('/access/roles/:role', form, csrf, signedIn, held, roles.change);
  router.get('/access/sessions', query, signedIn, live.ofList(sessions.newSessions), sessions.list);
  router.post('/access/sessions', form, csrf, signedIn, held, sessions.endMany);
  const liveSession = live.of('readSession', sessions.parts);
  router.get('/access/sessions/:session', query, signedIn, liveSession, sessions.show);
  router.post('/access/sessions/:session', form, csrf, signedIn, held, sessions.end);
  router.get('/access/effective', query, signedIn, effective.show);
  router.post('/access/effective', form, csrf, signedIn, held, effective.change);
  router.get('/access/clients', query, signedIn, clients.list);
  router.post('/access/clients', form, csrf, signedIn, held, clients.create);
  router.get('/access/clients/:client', query, signedIn, clients.show);
  router.post('/access/clients/:client', form, csrf, signedIn, held, clients.change);
  const newApprovals = live.ofList(approvals.newApprovals(needs.listVersions.approvals));
  router.get('/access/approvals', query, signedIn, newApprovals, approvals.list);
  const liveApproval = live.of('readApproval', approvals.parts);
  router.get('/access/approvals/:approval', query, signedIn, liveApproval, approvals.show);
  router.post('/access/approvals/:approval', form, csrf, signedIn, held, approvals.change);
  router.get('/access/applications', query, signedIn, applications.list);
  router.post('/access/applications', form, csrf, signedIn, held, applications.create);
  router.get('/access/applications/:client', query, signedIn, applications.show);
  router.post('/access/applications/:client', form, csrf, signedIn, held, applications.change);
  router.get('/access/identity-providers', query, signedIn, providers.list);
  router.post('/access/identity-providers', signedIn, longForm, csrf, held, providers.create);
  router.get('/access/identity-providers/:provider', query, signedIn, providers.show);
  router.post('/access/identity-providers/:provider', signedIn, longForm, csrf, held, providers.change);
}
