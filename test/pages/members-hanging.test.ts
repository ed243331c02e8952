/** Every page, and every form of the cluster, while members hang: connections stand, and nothing is answered. First one of three, then all. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { apiToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, startWithAdmin } from '../helpers/management.ts';
import { type HangingMember, startMemberThatHangs } from '../helpers/member-that-hangs.ts';
import { type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { addOneOfEach, typedIn, unlinked, type Walked, walk } from '../helpers/walk.ts';

/** A reading is given up after 5 s, and a page may need more than one, one after the other. */
const mostSeconds = 20;
/** What a member may have begun is waited for: 30 s. */
const mostSecondsOfAct = 35;
/** As a person has tabs. */
const atOnce = 6;

let members: readonly HangingMember[];
let console: RunningConsole;
let ada: UserAgent;
let walked: Walked;

beforeAll(async () => {
  const file = writeMemberConfig();
  members = await Promise.all([1, 2, 3].map(() => startMemberThatHangs(file)));
  const env = { CONSOLE_MEMBERS: members.map(({ url }) => url).join(',') };
  ({ console, ada } = await startWithAdmin({ env }));
  await addOneOfEach(console);
  walked = await walk(ada, [...unlinked, '/cluster/wan/atlantic/london']);
}, 180_000);
afterAll(async () => {
  await console?.stop();
  for (const member of members ?? []) {
    member.wake();
    await member.close();
  }
});

const isOfCluster = (href: string) => /^\/cluster(?:\/|$)/.test(href);

async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function inTime(reply: Promise<Reply>, most = mostSeconds): Promise<Reply> {
  const begun = performance.now();
  const { url, ...rest } = await reply;
  expect(Math.round((performance.now() - begun) / 1000), url).toBeLessThan(most);
  return { url, ...rest };
}

/** Machines get their tokens meanwhile, as people do their pages. */
async function tokensWhile<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const slowest = (async () => {
    let ms = 0;
    while (!isOver) {
      const begun = performance.now();
      await apiToken(console);
      ms = Math.max(ms, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return ms;
  })();
  const done = await work.finally(() => {
    isOver = true;
  });
  expect(await slowest).toBeLessThan(2_000);
  return done;
}

/** Lists as files are read by four at a time: who comes fifth is told to come again. */
async function readInTurn(href: string): Promise<Reply> {
  for (let left = 10; ; left--) {
    const reply = await inTime(ada.get(href));
    if (reply.status !== 429 || left === 0) return reply;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function readEachPage(allowed: readonly number[]): Promise<void> {
  await each(walked.pages, async (href) => {
    const reply = await readInTurn(href);
    const isAllowed = isOfCluster(href) ? allowed.includes(reply.status) : [200, 303].includes(reply.status);
    expect(isAllowed, `${href}: ${reply.status} ${titleOf(reply)}`).toBe(true);
  });
}

/** What was typed rightly is refused in words, or done by a member that answers. @returns how many said that it may have been done */
async function sendEachForm(): Promise<number> {
  const forms = walked.forms.filter(({ action, isUpload }) => isOfCluster(action) && !isUpload);
  expect(forms.length).toBeGreaterThan(10);
  let unknown = 0;
  await each(forms, async (form) => {
    const { action, filled } = form;
    // What ends the cluster would leave nobody who answers; pins and texts that are shown ask nobody.
    if (['pin', 'unpin', 'preview', 'shut-down'].includes(filled.do!)) return;
    const what = `${action} ${filled.do}`;
    const reply = await ada.follow(await inTime(ada.post(action, typedIn(form)), mostSecondsOfAct));
    expect([200, 400, 404, 409, 502, 503, 504].includes(reply.status), `${what}: ${reply.status}`).toBe(true);
    if (reply.status === 504) {
      // What reads first, to see whether somebody else has changed it, ends there, and has changed nothing.
      const text = textOf(reply);
      expect(text, what).toContain('did not answer in time');
      if (text.includes('Whether it carried out the call is not known')) unknown++;
      const named = members.some(({ name }) => text.includes(name));
      expect([what, named]).toEqual([what, true]);
    }
    expect(textOf(reply), what).not.toMatch(/undefined|\[object|TypeError|AbortError|UND_ERR/);
  });
  return unknown;
}

describe('one of three', () => {
  beforeAll(() => members[1]!.hang());

  test(
    'each page is there in time, as others answer, and tokens are issued',
    () => tokensWhile(readEachPage([200, 303, 404, 409, 503])),
    180_000,
  );

  test.each(['/', '/cluster/members', '/observe/health'])(
    '%s names the one that does not answer',
    async (href) => {
      const named = async () => textOf(await ada.get(href));
      await expect
        .poll(named, { timeout: 30_000, interval: 1_000 })
        .toMatch(/no answer|without answer|has not answered/i);
      expect(await named()).toContain(members[1]!.name);
    },
    40_000,
  );

  test('each form is answered in time', () => tokensWhile(sendEachForm()), 180_000);
});

describe('all of them', () => {
  beforeAll(() => {
    for (const member of members) member.hang();
  });

  test(
    'each page is there in time, and has what is known',
    () => tokensWhile(readEachPage([200, 303, 404, 409, 503, 504])),
    180_000,
  );

  test('the CP subsystem is unknown, and not said to be missing', async () => {
    expect(await callApi(console, 'GET', '/cp')).toMatchObject({ isAvailable: false, isKnown: false });
    const text = textOf(await ada.get('/cluster/cp'));
    expect(text).toContain('Unknown');
    expect(text).toContain('did not answer in time');
    expect(text).not.toContain('Not available');
  }, 30_000);

  test('nothing is recorded as done that no member has answered', async () => {
    const stored = () => Promise.all(['/wan', '/backups'].map((path) => callApi(console, 'GET', path)));
    const before = await stored();
    // Clear, poll, drain, remove: who asked for it has to know that it may have been done.
    expect(await tokensWhile(sendEachForm())).toBeGreaterThan(3);
    expect(await stored()).toEqual(before);
  }, 180_000);

  test('that answer again are used again', async () => {
    for (const member of members) member.wake();
    const isRead = async () => (await ada.get('/cluster/maps/orders/a1')).status;
    await expect.poll(isRead, { timeout: 60_000, interval: 1_000 }).toBeLessThan(500);
  }, 70_000);
});
