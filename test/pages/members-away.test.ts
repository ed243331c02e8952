/** Every page, and every form that was opened while the members were there, once none of them is. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteMap } from '../../console/pages/site-map.ts';
import { loadMemberConfig } from '../../member/config/load.ts';
import { startMember } from '../../member/member.ts';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, sendForm, startWithAdmin } from '../helpers/management.ts';
import { type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { addOneOfEach, shapeOf, typedIn, unlinked, type Walked, walk } from '../helpers/walk.ts';

let console: RunningConsole;
let ada: UserAgent;
let walked: Walked;
/** How a page of a member that is away, or of what only members know, says so. */
const saysWhy =
  /cannot be reached|No member|nobody listens|no answer|without answer|could not be read|not known now|Unknown/i;
/** Of a call of a member, however it is asked: longer takes nobody who waits before a page. */
const mostSeconds = 20;

beforeAll(async () => {
  const file = writeMemberConfig();
  const config = loadMemberConfig(readFileSync(file, 'utf8'), { file });
  const member = await startMember({ config, host: '127.0.0.1', port: 0 });
  ({ console, ada } = await startWithAdmin({ env: { CONSOLE_MEMBERS: member.address } }));
  await addOneOfEach(console);
  walked = await walk(ada, [...unlinked, '/cluster/wan/atlantic/london']);
  await member.close();
}, 120_000);
afterAll(() => console?.stop());

const isOfCluster = (href: string) => /^\/cluster(?:\/|$)/.test(href);

async function inTime(reply: Promise<Reply>): Promise<Reply> {
  const begun = performance.now();
  const { status, ...rest } = await reply;
  expect(performance.now() - begun, rest.url).toBeLessThan(mostSeconds * 1000);
  return { status, ...rest };
}

/** An error as a page: with its code, and a way to a page that can be had. */
async function expectWayBack(reply: Reply, code: string): Promise<void> {
  expect(reply.body, reply.url).toContain(`<dd class="code">${code}</dd>`);
  const href = /class="actions"><a href="([^"]+)" class="button primary"/.exec(reply.body)?.[1];
  expect(href, `${reply.url}: the way back`).toBeDefined();
  const back = await ada.get(href!.replaceAll('&amp;', '&'));
  expect([reply.url, href, back.status]).toEqual([reply.url, href, 200]);
}

test('each page is there, and has what is known; what only members know says that none answers, and leads back', async () => {
  const cluster = walked.pages.filter(isOfCluster);
  const named = siteMap.flatMap(({ pages }) => pages.map(({ href }) => href)).filter(isOfCluster);
  expect(cluster).toEqual(expect.arrayContaining(named));
  for (const href of walked.pages) {
    const reply = await inTime(ada.get(href));
    expect([200, 303, 409, 503].includes(reply.status), `${href}: ${reply.status}`).toBe(true);
    if (reply.status === 503) await expectWayBack(reply, 'no_member');
    if (reply.status !== 200) expect([href, isOfCluster(href) || reply.status === 303]).toEqual([href, true]);
    if (reply.status === 409) expect(textOf(reply), href).toMatch(saysWhy);
  }
}, 120_000);

test.each([
  '/',
  '/cluster/members',
  '/cluster/cp',
  '/cluster/operations',
  '/cluster/queues/jobs',
  '/cluster/maps/orders/a1',
  '/observe/health',
])('%s says why in its place', async (href) => {
  expect(textOf(await ada.get(href))).toMatch(saysWhy);
});

test.each([
  ['/cluster/maps/orders/a1', ['/cluster/maps', '/cluster/maps/orders']],
  ['/cluster/queues/jobs?do=poll', ['/cluster/queues']],
])('%s, which members alone know, stands in the frame, with its path and what to do', async (href, path) => {
  const page = await ada.get(href);
  expect([page.status, titleOf(page)]).toEqual([503, 'Problem: No member can be reached']);
  expect(page.body).toContain('<body class="managed">');
  expect(page.body).toContain('aria-current="page"');
  for (const above of path) expect(page.body).toContain(`<a href="${above}">`);
  const acts = /<div class="actions">(.*?)<\/div>/s.exec(
    page.body.slice(page.body.indexOf('class="lede"')),
  )![1]!;
  const hrefs = [...acts.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!.replaceAll('&amp;', '&'));
  expect(hrefs).toEqual([path[0], href, '/cluster/members']);
  expect(textOf(page)).toContain('Under Members you see which one is away, or not ready, and why.');
  const german = await ada.get(href, { 'Accept-Language': 'de' });
  expect(textOf(german)).toContain('Unter Member sehen Sie, welches weg oder nicht bereit ist, und warum.');
});

test('the page of a queue has what is known of it without a member, and its figures', async () => {
  const first = await ada.get('/cluster/queues/jobs');
  const page = await ada.follow(await sendForm(ada, first, 'pin'));
  expect([page.status, titleOf(page)]).toEqual([200, 'jobs']);
  expect(textOf(page)).toMatch(
    /Items This could not be read: The member \S+ \(ECONNREFUSED\) cannot be reached\./,
  );
  expect(textOf(page)).toContain('Known from Pinned');
  expect(textOf(page)).toContain('Waiting polls');
  await ada.follow(await sendForm(ada, page, 'unpin'));
});

test('the page of operations says why it does not know the licence', async () => {
  expect(textOf(await ada.get('/cluster/operations'))).toMatch(
    /Licence of the members This could not be read: .+/,
  );
});

describe('a form of the cluster', () => {
  test('says that no member answers, as one typed it rightly, and nothing is recorded as done', async () => {
    const forms = walked.forms.filter(({ action, isUpload }) => isOfCluster(action) && !isUpload);
    const shapes = new Set(forms.map(({ action }) => shapeOf(action)));
    expect(shapes.size).toBeGreaterThan(6);
    const stored = () =>
      Promise.all(['/wan', '/jobs', '/backups'].map((path) => callApi(console, 'GET', path)));
    const before = await stored();
    for (const form of forms) {
      const { action, filled } = form;
      // Pins are the person's own, and what a text would add is shown without asking anybody.
      if (['pin', 'unpin', 'preview'].includes(filled.do!)) continue;
      // One key is looked up on the page of its entry.
      const reply = await ada.follow(await inTime(ada.post(action, typedIn(form))));
      const what = `${action} ${filled.do}`;
      expect([400, 503].includes(reply.status), `${what}: ${reply.status}`).toBe(true);
      if (reply.status === 503) await expectWayBack(reply, 'no_member');
      else
        expect(textOf(reply), what).toMatch(
          /Nothing was (?:done|saved|stored|offered|added)|is the only member|No member|nobody listens/,
        );
      expect(textOf(reply), what).toMatch(saysWhy);
    }
    expect(await stored()).toEqual(before);
  }, 120_000);

  test('with a file leads back to the entry', async () => {
    const upload = walked.forms.find(({ action, isUpload }) => isUpload && isOfCluster(action))!;
    const boundary = 'walked';
    const parts = Object.entries(upload.hidden).map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n`;
    const reply = await ada.send('POST', upload.action, {
      headers: { origin: console.url, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: `${parts.join('')}${file}--${boundary}--\r\n`,
    });
    expect(reply.status).toBe(503);
    await expectWayBack(reply, 'no_member');
  });
});
