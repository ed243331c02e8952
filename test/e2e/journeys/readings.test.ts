/** More keys than are read at once, in real browsers: how far it is comes by itself, and a stop leaves what was found. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../../helpers/browser.ts';
import { admin, type RunningConsole } from '../../helpers/console.ts';
import { startWithAdmin } from '../../helpers/management.ts';
import { type MapMember, startMapMember } from '../../helpers/map-member.ts';
import { until } from '../../helpers/store.ts';
import type { Tab } from './tab.ts';
import { enginesOf } from './travellers.ts';
import { createVisitor, type Visitor } from './visitor.ts';

const { browser: found, reason } = await openBrowser();
const engines = enginesOf({ browser: found, reason });
let member: MapMember;
let console: RunningConsole;

beforeAll(async () => {
  member = await startMapMember((key) => (/[13579]$/.test(key) ? `value of ${key}` : undefined));
  ({ console } = await startWithAdmin({ env: { CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}` } }));
}, 30_000);
afterAll(async () => {
  await found?.close();
  await console?.stop();
  await member?.close();
});

/** Reads of which the member has answered none yet. */
async function begin(tab: Tab, map: string): Promise<Visitor> {
  const visitor = createVisitor(tab, console.url, 'mouse');
  await visitor.open('/login');
  await visitor.fill('Username', admin.username);
  await visitor.fill('Password', admin.password);
  await visitor.press('Sign in');
  await readAgain(visitor, map);
  return visitor;
}

async function readAgain(visitor: Visitor, map: string): Promise<void> {
  member.hold();
  const before = member.asked().length;
  await visitor.open(`/cluster/maps/${map}`);
  await visitor.fill('Keys', 'order-[1-60]');
  await visitor.press('Get');
  await visitor.reads(`Keys of ${map}`);
  await visitor.reads('Entries are being read. It goes on when this page is closed.');
  await until(async () => member.asked().length > before, 'the first keys');
}

describe.each(engines)('a reading in $engine', ({ engine, why, open, stop }) => {
  afterAll(stop);
  test.skipIf(why)(
    `says by itself how far it is, and what it has found${why ? ` (${why})` : ''}`,
    async () => {
      const tab = await open(true);
      try {
        const visitor = await begin(tab, `live-${engine}`);
        await tab.evaluate(mark, undefined);
        await visitor.reads('0 of 60');
        member.letThrough(16);
        await visitor.reads('16 of 60');
        member.letThrough(24);
        await visitor.reads('40 of 60');
        member.release();
        await visitor.reads('30 entries were found. 30 keys have no entry.');
        await visitor.reads('order-59');
        // It was the same page all the time.
        expect(await tab.evaluate(isMarked, undefined)).toBe(true);
        await visitor.follow('order-59');
        await visitor.reads('value of order-59');
      } finally {
        member.release();
        await tab.close();
      }
    },
    60_000,
  );

  test.skipIf(why)(
    `is stopped, and leaves what it has found${why ? ` (${why})` : ''}`,
    async () => {
      const tab = await open(true);
      try {
        const visitor = await begin(tab, `stopped-${engine}`);
        member.letThrough(16);
        await visitor.reads('16 of 60');
        await visitor.press('Stop');
        await visitor.reads('It stops after the entries that are being read.');
        const asked = member.asked().length;
        member.release();
        await visitor.reads('Stopped');
        await visitor.reads('were not reached.');
        await visitor.reads('order-1 ');
        expect(member.asked().length).toBe(asked);
        // The next one has nothing of it.
        await readAgain(visitor, `stopped-${engine}`);
        member.release();
        await visitor.reads('30 entries were found. 30 keys have no entry.');
      } finally {
        member.release();
        await tab.close();
      }
    },
    60_000,
  );

  test.skipIf(why)(
    `is looked at again and stopped without script${why ? ` (${why})` : ''}`,
    async () => {
      const tab = await open(false);
      try {
        const visitor = await begin(tab, `plain-${engine}`);
        member.letThrough(8);
        await visitor.readsInTime('8 of 60');
        await visitor.follow('Look again');
        await visitor.reads('8 of 60');
        await visitor.press('Stop');
        await visitor.reads('It stops after the entries that are being read.');
        member.release();
        await visitor.readsInTime('Stopped');
        await visitor.reads('were not reached.');
      } finally {
        member.release();
        await tab.close();
      }
    },
    90_000,
  );
});

// What follows runs in pages.

function mark() {
  document.documentElement.dataset.mark = 'same';
}

function isMarked() {
  return document.documentElement.dataset.mark === 'same';
}
