/** Parts of pages of one thing that cannot be had, while the others are: each says so in its place, and why, in the language of the page. */
import { h, type VNode } from 'preact';
import { describe, expect, test } from 'vitest';
import { createPresentation, presentationOf } from '../../console/http/display/presentation.ts';
import { usageOf } from '../../console/pages/access/clients/client-usage.ts';
import { createHistory } from '../../console/pages/history/history.ts';
import type { PageContext, PageTools } from '../../console/pages/page-tools.ts';
import { createSettingsPage } from '../../console/pages/settings/settings.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import { renderPart } from '../../views/layout.tsx';
import { CallsOf, elevationFacts } from '../../views/management/access/user-access.tsx';
import { Facts } from '../../views/management/detail.tsx';
import { History, type HistoryModel } from '../../views/management/history/history.tsx';
import { Waiting } from '../../views/management/observe/open-calls.tsx';
import { textsIn } from '../../views/texts/text.ts';
import { type Reply, textOf } from '../helpers/user-agent.ts';

const said = 'The audit cannot be read at the moment: try again.';

describe.each([
  { language: 'en', why: `This could not be read: ${said}` },
  {
    language: 'de',
    why: 'Das ließ sich nicht lesen: Das Audit-Protokoll kann gerade nicht gelesen werden: Versuchen Sie es noch einmal.',
  },
] as const)('in $language', ({ language, why }) => {
  const ctx = {
    ...{ req: {}, method: 'GET', get: () => '', cookies: { get: () => undefined } },
    ...{ acceptsLanguages: () => [language], state: { form: new Map() } },
  } as unknown as PageContext;
  void createPresentation({ branding: () => ({}) })(ctx as never, async () => {});
  const presentation = presentationOf(ctx);
  const reader = { now: new Date(), presentation, groups: [] };
  const shownIn = (part: unknown) => textOf({ body: renderPart(part as VNode, presentation) } as Reply);
  const notRead = { notRead: said };

  /** Lists are there, and empty; the operation of the part is not. */
  function toolsWithout(operation: string, sent: (html: string) => void = () => {}): PageTools {
    return {
      mayRun: async (_: PageContext, ids: readonly string[]) => new Set(ids),
      run: async (_: PageContext, id: string) => {
        if (id === operation) throw new ProblemError(problems.busy, said);
        return { body: { items: [], next: null, count: null } };
      },
      reader: () => reader,
      csrf: () => 'x',
      frame: async () => ({ ...reader, username: 'ada', signOut: { action: '/', csrf: 'x' }, bar: [] }),
      send: (_: PageContext, html: string) => sent(html),
    } as unknown as PageTools;
  }

  test('the files of configuration, on the page of the settings', async () => {
    let html = '';
    await createSettingsPage(toolsWithout('readConfigurationDirectory', (sent) => (html = sent)))(ctx);
    expect(html).toContain('<section class="part" id="configuration"');
    expect(textOf({ body: html } as Reply)).toContain(why);
  });

  test('the history of a thing', async () => {
    const tools = toolsWithout('listAuditEntries');
    const history = createHistory(tools, {} as never, { kind: 'roles', object: 'role' } as never);
    const model = (await history.of(ctx, { id: 'Reader' } as never)) as HistoryModel;
    expect(shownIn(h(History, { ...model, href: '/access/roles/Reader', now: reader.now }))).toContain(why);
  });

  test('what a client has used', async () => {
    const usage = await usageOf(ctx, toolsWithout('readAccessUsage'), { id: 'billing' }, { isBrief: true });
    expect(usage).toEqual(notRead);
  });

  test('what a person or a role may call, and roles for a while', () => {
    expect(shownIn(h(CallsOf, { href: '/access/effective', calls: notRead }))).toContain(why);
    const model = {
      ...{ user: { id: 'ada', eligibleRoles: [] }, frame: { now: reader.now } },
      ...{ elevations: notRead, mayEndElevations: true },
    };
    const facts = elevationFacts(model, textsIn(language));
    expect(shownIn(h(Facts, { facts }))).toContain(why);
  });

  test('calls that wait for a member', () => {
    expect(shownIn(h(Waiting, { open: notRead, mayEnd: true }))).toContain(why);
  });
});
