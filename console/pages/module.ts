/** The management pages: what they need, and their addresses. Each asks the operations of the admin API; none can more. */
import type Router from '@koa/router';
import { approvalHref } from '../../views/management/access/approvals.tsx';
import type { Csrf } from '../http/csrf.ts';
import { form, type Guard, largeUpload, longForm, query, type WithForm } from '../http/guards.ts';
import type { WithSession } from '../login/signed-in.ts';
import type { StepUp } from '../login/step-up.ts';
import type { PermissionsOf } from '../operations/privileges.ts';
import { addAccessRoutes } from './access/module.ts';
import type { KeyOfSession } from './access/sessions.ts';
import { createActs } from './acts.ts';
import { createCpPage } from './cluster/cp.ts';
import { createDrainPages } from './cluster/drains.ts';
import { createEntryPages } from './cluster/entries.ts';
import { createMapPages } from './cluster/maps.ts';
import { createMemberPages } from './cluster/members.ts';
import { createOperationsPage } from './cluster/operations.ts';
import { createOverviewPage } from './cluster/overview.ts';
import { createQueuePages } from './cluster/queues.ts';
import { createReadingPages } from './cluster/readings.ts';
import type { EntryMemories } from './cluster/remembered/entry-memories.ts';
import { createWanPages } from './cluster/wan.ts';
import { createForms } from './forms.ts';
import { createGroupPage } from './group.ts';
import { createListFiles } from './list-files.ts';
import { listed } from './listed-pages.ts';
import type { ListVersions } from './live/new-items.ts';
import { createSharedReadings } from './live/shared-readings.ts';
import type { Live } from './live/streams.ts';
import { addObserveRoutes } from './observe/module.ts';
import { AwaitsApprovalError, type PageContext, type PageTools } from './page-tools.ts';
import { createSearchPage } from './search/search.ts';
import { addSettingsRoutes } from './settings/module.ts';
import { createStartSteps } from './settings/start-steps.ts';

export interface PagesNeeds {
  /** `CONSOLE_URL`, `CONSOLE_ELEVATION_MINUTES`, `CONSOLE_PROXY_BODY_LIMIT`. */
  readonly settings: {
    readonly url: string;
    readonly elevationMinutes: number;
    readonly proxyBodyLimitBytes: number;
  };
  readonly tools: PageTools;
  /** For who may open no management page. */
  readonly accountPage: (ctx: PageContext) => Promise<void>;
  readonly live: Live;
  readonly listVersions: ListVersions;
  readonly stepUp: StepUp;
  readonly signedIn: Guard<WithSession>;
  readonly keyOfSession: KeyOfSession;
  readonly entryMemories: EntryMemories;
  /** What a role opens at the members. */
  readonly permissionsOf: PermissionsOf;
  readonly csrf: Csrf;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Leads whoever has changed something that waits for a second administrator to where it waits. */
function createHeld({ goTo }: PageTools): Guard<WithSession & WithForm> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (!(error instanceof AwaitsApprovalError)) throw error;
      goTo(ctx as PageContext, `${approvalHref(error.approval)}?done=asked`);
    }
  };
}

export function createPagesModule(needs: PagesNeeds) {
  const { signedIn, tools, accountPage, now, live } = needs;
  const csrf = needs.csrf.guard;
  const held = createHeld(tools);
  const { url, elevationMinutes, proxyBodyLimitBytes } = needs.settings;
  // What is a little too large is told on the page, and not by it.
  const valueUpload = largeUpload(proxyBodyLimitBytes + 1024 * 1024);
  const { origin } = new URL(url);
  const acts = createActs({ ...needs, origin });
  const forms = createForms(tools, origin);
  const shared = createSharedReadings(tools, now);
  const group = createGroupPage(tools, shared);
  const steps = createStartSteps(tools, origin.startsWith('https:'));
  const overview = createOverviewPage(tools, accountPage, steps, shared, now);
  const members = createMemberPages(tools, acts, now);
  const maps = createMapPages(tools, acts, { ...needs, origin });
  const entries = createEntryPages(tools, acts, { ...needs, mostBytes: proxyBodyLimitBytes });
  const readings = createReadingPages(tools);
  const queues = createQueuePages(tools, acts, origin, now);
  const drains = createDrainPages(tools, acts);
  const wan = createWanPages(tools, acts, shared);
  const cp = createCpPage(tools, acts, shared);
  const operations = createOperationsPage(tools, acts, shared);
  const search = createSearchPage(tools);
  const files = createListFiles(tools, live.watch, now);
  return {
    addRoutes(router: Router): void {
      router.get('/', query, signedIn, live.of('readTraffic', overview.parts), overview.show);
      const liveGroup = live.ofAny(group.check, group.parts);
      router.get('/access', query, signedIn, liveGroup, group.show);
      router.get('/cluster', query, signedIn, liveGroup, group.show);
      router.get(
        '/cluster/members',
        query,
        signedIn,
        live.of('listMembers', members.listParts),
        members.list,
      );
      const liveMember = live.of('readMember', members.parts);
      router.get('/cluster/members/:member', query, signedIn, liveMember, members.show);
      router.post('/cluster/members/:member', form, csrf, signedIn, held, members.change);
      router.get('/cluster/maps', query, signedIn, maps.list);
      router.get('/cluster/maps/:map', query, signedIn, live.of('readMap', maps.parts), maps.show);
      // A hundred keys may be long.
      router.post('/cluster/maps/:map', signedIn, longForm, csrf, held, maps.change);
      router.get('/cluster/maps/:map/:key', query, signedIn, entries.show);
      router.post('/cluster/maps/:map/:key', signedIn, longForm, csrf, held, entries.change);
      router.get('/cluster/maps/:map/:key/value', query, signedIn, entries.value);
      router.post('/cluster/maps/:map/:key/value', signedIn, valueUpload, csrf, held, entries.putFile);
      const liveReading = live.ofPerson('readMapReading', readings.parts);
      router.get('/cluster/maps/:map/readings/:reading', query, signedIn, liveReading, readings.show);
      router.post('/cluster/maps/:map/readings/:reading', form, csrf, signedIn, held, readings.change);
      router.get('/cluster/queues', query, signedIn, queues.list);
      router.get('/cluster/queues/:queue', query, signedIn, live.of('readQueue', queues.parts), queues.show);
      router.post('/cluster/queues/:queue', signedIn, longForm, csrf, held, queues.change);
      const liveDrain = live.ofPerson('readQueueDrain', drains.parts);
      router.get('/cluster/queues/:queue/drains/:drain', query, signedIn, liveDrain, drains.show);
      router.post('/cluster/queues/:queue/drains/:drain', form, csrf, signedIn, held, drains.change);
      router.get('/cluster/queues/:queue/drains/:drain/items', query, signedIn, drains.items);
      router.get('/cluster/wan', query, signedIn, live.of('listWanPublishers', wan.listParts), wan.list);
      router.post('/cluster/wan', form, csrf, signedIn, held, wan.add);
      const livePublisher = live.of('readWanPublisher', wan.parts);
      router.get('/cluster/wan/:replication/:publisher', query, signedIn, livePublisher, wan.show);
      router.post('/cluster/wan/:replication/:publisher', form, csrf, signedIn, held, wan.change);
      router.get('/cluster/cp', query, signedIn, live.of('readCp', cp.parts), cp.show);
      router.post('/cluster/cp', form, csrf, signedIn, held, cp.change);
      const liveOperations = live.of('readCluster', operations.parts);
      router.get('/cluster/operations', query, signedIn, liveOperations, operations.show);
      router.post('/cluster/operations', signedIn, longForm, csrf, held, operations.change);
      addAccessRoutes(router, { ...needs, acts, forms, origin, elevationMinutes, csrf, held });
      for (const list of Object.values(listed)) {
        router.get(`${list.href}.json`, query, signedIn, files.of(list, 'json'));
        router.get(`${list.href}.csv`, query, signedIn, files.of(list, 'csv'));
      }
      router.get('/observe/audit.jsonl', query, signedIn, files.entries('jsonl'));
      router.get('/observe/audit.csv', query, signedIn, files.entries('csv'));
      router.get('/observe', query, signedIn, liveGroup, group.show);
      router.get('/observe/search', query, signedIn, search);
      addSettingsRoutes(router, { tools, acts, forms, steps, signedIn, csrf, held });
      addObserveRoutes(router, { ...needs, acts, csrf, held });
    },
  };
}
