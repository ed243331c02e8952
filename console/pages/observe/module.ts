/** The pages of Observe: their addresses. */
import type Router from '@koa/router';
import { form, type Guard, query, type WithForm } from '../../http/guards.ts';
import type { WithSession } from '../../login/signed-in.ts';
import type { Acts } from '../acts.ts';
import type { ListVersions } from '../live/new-items.ts';
import type { Live } from '../live/streams.ts';
import type { PageTools } from '../page-tools.ts';
import { createAuditPages } from './audit.ts';
import { createDecisionPage } from './decisions.ts';
import { createHealthPages } from './health.ts';
import { createJobPages } from './jobs.ts';
import { createTrafficPage } from './traffic.ts';

export interface ObserveNeeds {
  readonly tools: PageTools;
  readonly acts: Acts;
  readonly live: Live;
  readonly listVersions: ListVersions;
  readonly signedIn: Guard<WithSession>;
  readonly csrf: Guard<WithForm, WithForm>;
  /** Leads to what waits for a second administrator. */
  readonly held: Guard<WithSession & WithForm>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function addObserveRoutes(router: Router, needs: ObserveNeeds): void {
  const { tools, acts, live, listVersions, signedIn, csrf, held } = needs;
  const traffic = createTrafficPage(tools, acts, needs.now);
  const audit = createAuditPages(tools);
  const decisions = createDecisionPage(tools, acts);
  const health = createHealthPages(tools);
  const jobs = createJobPages(tools, acts);
  const liveTraffic = live.ofTail('readCalls', traffic.parts, traffic.tail);
  router.get('/observe/traffic', query, signedIn, liveTraffic, traffic.show);
  router.post('/observe/traffic', form, csrf, signedIn, held, traffic.end);
  const newEntries = live.ofList(audit.newEntries(listVersions.audit));
  router.get('/observe/audit', query, signedIn, newEntries, audit.list);
  router.post('/observe/audit', form, csrf, signedIn, held, audit.verify);
  router.get('/observe/audit/:entry', query, signedIn, audit.show);
  router.get('/observe/decisions/:decision', query, signedIn, decisions.show);
  router.post('/observe/decisions/:decision', form, csrf, signedIn, held, decisions.change);
  router.get('/observe/health', query, signedIn, live.of('readHealth', health.parts), health.show);
  router.post('/observe/health', form, csrf, signedIn, health.run);
  router.get('/observe/health/report', query, signedIn, health.report);
  const newJobs = live.ofList(jobs.newJobs(listVersions.jobs));
  router.get('/observe/jobs', query, signedIn, newJobs, jobs.list);
  router.get('/observe/jobs/:job', query, signedIn, live.ofPerson('readJob', jobs.parts), jobs.show);
  router.post('/observe/jobs/:job', form, csrf, signedIn, held, jobs.stop);
}
