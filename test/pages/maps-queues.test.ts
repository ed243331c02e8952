/** `/cluster/maps` and `/cluster/queues`: entries found, shown, put, put back and removed; items offered and taken; without script. */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

const png = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
);

const mapHref = (map: string) => `/cluster/maps/${encodeURIComponent(map)}`;
const entryHref = (map: string, key: string) => `${mapHref(map)}/${encodeURIComponent(key)}`;
const queueHref = (queue: string) => `/cluster/queues/${encodeURIComponent(queue)}`;

async function store(
  map: string,
  key: string,
  value: string | Uint8Array<ArrayBuffer>,
  type: string,
): Promise<void> {
  const reply = await fetch(`${console.url}/svc/rest/maps/${map}/${encodeURIComponent(key)}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await machineToken(console)}`, 'Content-Type': type },
    body: value,
  });
  expect(reply.status).toBe(200);
}

async function stored(map: string, key: string) {
  const reply = await fetch(`${console.url}/svc/rest/maps/${map}/${encodeURIComponent(key)}`, {
    headers: { Authorization: `Bearer ${await machineToken(console)}` },
  });
  return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text() };
}

test('names that were called are listed with where they are known from, and others are opened by name', async () => {
  await store('orders', 'a1', '{"total": 3}', 'application/json');
  await expect
    .poll(async () => textOf(await ada.get('/cluster/maps')), { timeout: 15_000 })
    .toMatch(/orders (?:\S+ ){3,4}Calls Today/);
  expect(textOf(await ada.get('/cluster/maps'))).toContain('Others may exist: members do not list them.');
  const opened = await ada.get('/cluster/maps?open=tägliche+Summen');
  expect([opened.status, opened.headers.location]).toEqual([303, `${mapHref('tägliche Summen')}`]);
});

describe('an entry', () => {
  test('of JSON is shown with its numbers as they were sent, in other forms too', async () => {
    const json = '{"id":9007199254740993,"price":1.10,"tags":[],"of":{"a":"x\\"{}"}}';
    await store('orders', 'big', json, 'application/json');
    const page = await ada.get(entryHref('orders', 'big'));
    expect(textOf(page)).toMatch(/Answered by 127\.0\.0\.1:\d+ Time taken \d[\d.,]* ms/);
    expect(textOf(page)).toContain('"id": 9007199254740993,');
    expect(textOf(page)).toContain('"price": 1.10,');
    expect(textOf(page)).toContain('"tags": [],');
    expect(page.body).toContain('&quot;x\\&quot;{}&quot;');
    expect(textOf(await ada.get(`${entryHref('orders', 'big')}?as=hex`))).toContain('00000000 7b 22 69 64');
    expect(textOf(await ada.get(`${entryHref('orders', 'big')}?as=text`))).toContain(json);
  });

  test('of XML is shown indented, with its tags, texts and entities as they were sent', async () => {
    const xml =
      '<?xml version="1.0"?><order id="a>b"><!-- first --><total cur=\'EUR\'>1.10</total><note/><who>A &amp; B&unknown;</who><p>some <b>bold</b> text</p><c><![CDATA[<x>]]></c></order>';
    await store('orders', 'xml', xml, 'application/xml');
    const page = await ada.get(entryHref('orders', 'xml'));
    expect(preOf(page)).toBe(
      [
        '<?xml version="1.0"?>',
        '<order id="a>b">',
        '  <!-- first -->',
        "  <total cur='EUR'>1.10</total>",
        '  <note/>',
        '  <who>A &amp; B&unknown;</who>',
        '  <p>some',
        '    <b>bold</b>',
        '    text',
        '  </p>',
        '  <c>',
        '    <![CDATA[<x>]]>',
        '  </c>',
        '</order>',
      ].join('\n'),
    );
    expect(preOf(await ada.get(`${entryHref('orders', 'xml')}?as=text`))).toBe(xml);
  });

  test.each([
    ['tags that do not fit', '<a><b></a></b>'],
    ['a tag without its end', '<a><b></b>'],
    ['two elements side by side', '<a/><b/>'],
    ['text beside its element', '<a/>text'],
    [
      'entities of its own',
      '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;"><!ENTITY f SYSTEM "file:///etc/passwd">]><a>&c;&f;</a>',
    ],
    ['a comment that does not end', `<a><!-- ${'-'.repeat(50_000)}</a>`],
    ['an attribute that does not end', `<a b="${'<'.repeat(1000)}`],
    ['many tags that are open', '<a>'.repeat(50_000)],
    ['what is deeper than a page', '<a>'.repeat(300) + '</a>'.repeat(300)],
    ['quotes without end', `<a ${`"' `.repeat(20_000)}`],
  ])('of XML with %s is text, at once', async (_what, value) => {
    await store('orders', 'no-xml', value, 'application/xml');
    const begun = performance.now();
    const page = await ada.get(entryHref('orders', 'no-xml'));
    expect(performance.now() - begun).toBeLessThan(5000);
    expect([page.status, page.body.includes('?as=xml'), page.body.includes('?as=text')]).toEqual([
      200,
      false,
      true,
    ]);
    expect(textOf(page)).not.toContain('root:');
  });

  test('with HTML, SVG or a script in it runs nowhere: it is text, or a file', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    await store('logos', 'evil', svg, 'image/svg+xml');
    const page = await ada.get(entryHref('logos', 'evil'));
    expect(page.body).not.toContain('<svg');
    expect(page.body).not.toContain('class="drawing"');
    const value = await ada.get(`${entryHref('logos', 'evil')}/value`);
    expect(value.headers['content-type']).toBe('application/octet-stream');
    expect(value.headers['content-disposition']).toContain('attachment');
    expect(value.headers['content-security-policy']).toContain('sandbox');
    expect(value.headers['x-content-type-options']).toBe('nosniff');
  });

  test('of a drawing is drawn by its bytes, whatever type was stored', async () => {
    await store('logos', 'png', png, 'text/html');
    const page = await ada.get(entryHref('logos', 'png'));
    expect(page.body).toContain(`<img class="drawing" src="${entryHref('logos', 'png')}/value"`);
    const value = await ada.get(`${entryHref('logos', 'png')}/value`);
    expect(value.headers['content-type']).toBe('image/png');
    expect(value.headers['content-security-policy']).toContain('sandbox');
  });

  test('over 256 KB is cut on the page and whole in the file, and is not put into the form', async () => {
    await store('orders', 'long', 'x'.repeat(300_000), 'text/plain');
    const page = await ada.get(entryHref('orders', 'long'));
    expect(textOf(page)).toContain('These are the first 64 KB.');
    expect(textOf(page)).toContain('What is there is too long to be edited here');
    expect(page.body.match(/x{1000,}/g)!.map((run) => run.length)).toEqual([65_536]);
    expect((await ada.get(`${entryHref('orders', 'long')}/value?download=true`)).body).toHaveLength(300_000);
    await store('orders', 'shorter', 'ü'.repeat(100_000), 'text/plain');
    const whole = await ada.get(entryHref('orders', 'shorter'));
    expect(whole.body.match(/ü{1000,}/g)!.map((run) => run.length)).toEqual([100_000, 100_000]);
  });

  test('of JSON that is very deep, or one very long text, is shown at once', async () => {
    await store('orders', 'deep', '['.repeat(100_000) + ']'.repeat(100_000), 'application/json');
    const deep = await ada.get(entryHref('orders', 'deep'));
    expect([deep.status, deep.body.length < 1_000_000]).toEqual([200, true]);
    await store('orders', 'text', JSON.stringify({ text: 'y"'.repeat(80_000) }), 'application/json');
    expect((await ada.get(entryHref('orders', 'text'))).status).toBe(200);
  });

  test('of 1 MiB that was removed is put back, byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 1024 * 1024 }, (_, at) => (at * 31) % 256);
    await store('orders', 'whole', bytes, 'application/octet-stream');
    const removed = await sendForm(ada, await ada.get(`${entryHref('orders', 'whole')}?do=remove`), 'remove');
    expect((await stored('orders', 'whole')).status).toBe(204);
    await sendForm(ada, removed, 'put', undoFields(removed));
    const reply = await fetch(`${console.url}/svc/rest/maps/orders/whole`, {
      headers: { Authorization: `Bearer ${await machineToken(console)}` },
    });
    expect(new Uint8Array(await reply.arrayBuffer())).toEqual(bytes);
  });

  test('is put by nobody who is not signed in, however long the form', async () => {
    const agent = createUserAgent(console.url);
    const reply = await agent.post(entryHref('orders', 'big'), { do: 'put', value: 'x'.repeat(1_000_000) });
    expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
  });

  test('is put, put back, removed and put back again', async () => {
    const empty = await ada.get(entryHref('orders', 'new one/ü'));
    expect(textOf(empty)).toContain('The map has no entry of this key.');
    const put = await sendForm(ada, empty, 'put', { value: 'first', encoding: 'text', type: 'text/plain' });
    expect([put.status, textOf(put).includes('Stored.')]).toEqual([200, true]);
    const second = await sendForm(ada, put, 'put', { value: 'a\r\nb', encoding: 'text', type: 'text/plain' });
    expect(await stored('orders', 'new one/ü')).toMatchObject({ text: 'a\nb' });
    await sendForm(ada, second, 'put', undoFields(second));
    expect(await stored('orders', 'new one/ü')).toMatchObject({ text: 'first', type: 'text/plain' });
    const question = await ada.get(`${entryHref('orders', 'new one/ü')}?do=remove`);
    const removed = await sendForm(ada, question, 'remove');
    expect((await stored('orders', 'new one/ü')).status).toBe(204);
    await sendForm(ada, removed, 'put', undoFields(removed));
    expect(await stored('orders', 'new one/ü')).toMatchObject({ text: 'first' });
  });

  test('that somebody else has changed is not overwritten, and what was typed stays', async () => {
    await store('orders', 'raced', 'one', 'text/plain');
    const page = await ada.get(entryHref('orders', 'raced'));
    await store('orders', 'raced', 'two', 'text/plain');
    const late = await sendForm(ada, page, 'put', { value: 'mine', encoding: 'text', type: 'text/plain' });
    expect(late.status).toBe(400);
    expect(textOf(late)).toContain('has changed meanwhile');
    expect(late.body).toMatch(/<textarea[^>]*>\nmine</);
    expect(textOf(late)).toContain('two');
    expect(await stored('orders', 'raced')).toMatchObject({ text: 'two' });
  });

  test.each([
    ['JSON that is none', { value: '{"a":', encoding: 'text', type: 'application/json' }, 'This is not JSON'],
    ['base64 that is none', { value: '***', encoding: 'base64', type: '' }, 'value'],
    ['a type with a line break', { value: 'x', encoding: 'text', type: 'a\nb' }, 'type'],
    ['2 MB', { value: 'x'.repeat(2_000_000), encoding: 'text', type: 'text/plain' }, 'value'],
    ['10 MB', { value: 'x'.repeat(10_000_000), encoding: 'text', type: 'text/plain' }, ''],
  ])('is not stored from %s', async (_what, fields, said) => {
    await store('orders', 'kept', 'kept', 'text/plain');
    const refused = await sendForm(ada, await ada.get(entryHref('orders', 'kept')), 'put', fields);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.status).toBeLessThan(500);
    expect(textOf(refused)).toContain(said);
    // The form is further down than the first screen of a long value.
    if (said !== '') expect(refused.body).toMatch(/Nothing was stored\. <a href="#put">/);
    expect(await stored('orders', 'kept')).toMatchObject({ text: 'kept' });
  });
});

/** As the page shows the value. */
function preOf({ body }: Reply): string {
  const [, shown = ''] = /<pre[^>]*>(?:<code[^>]*>)?([\s\S]*?)(?:<\/code>)?<\/pre>/.exec(body) ?? [];
  return shown
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The form that takes a file, as a browser sends it. */
async function sendFile(page: Reply, file: Buffer, type: string): Promise<Reply> {
  const href = new URL(page.url).pathname.replace(/\/value$/, '');
  const form = new FormData();
  form.set('csrf', hiddenIn(page, 'csrf')!);
  const version = hiddenIn(page, 'version');
  if (version !== undefined) form.set('version', version);
  form.set('file', new Blob([new Uint8Array(file)]), 'value.bin');
  form.set('file_type', type);
  const url = `${console.url}${href}/value`;
  const reply = await fetch(url, { method: 'POST', headers: asAda({ origin: console.url }), body: form });
  return { url, status: reply.status, headers: {}, setCookies: [], body: await reply.text() };
}

function asAda(headers: Readonly<Record<string, string>> = {}) {
  const cookie = [...ada.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  return { cookie, ...headers };
}

describe('a value of a file', () => {
  const bound = 10 * 1024 * 1024;

  test('as large as the bound is stored, shown by its beginning, given whole and removed', async () => {
    const href = entryHref('files', 'large');
    const bytes = randomBytes(bound);
    const done = await sendFile(await ada.get(href), bytes, 'application/x-large');
    expect([done.status, textOf(done).includes('Stored.')]).toEqual([200, true]);
    const page = await ada.get(href);
    expect(textOf(page)).toContain('Type application/x-large Size 10 MB');
    expect(textOf(page)).toContain('These are the first 64 KB. Download has all of it.');
    expect(page.body.length).toBeLessThan(1_000_000);
    const given = await fetch(`${console.url}${href}/value?download=true`, { headers: asAda() });
    const back = Buffer.from(await given.arrayBuffer());
    expect([given.headers.get('content-length'), back.equals(bytes)]).toEqual([String(bound), true]);

    // What is no longer whole here is not offered to be put back.
    const text = Buffer.from('Zeile äöü\n'.repeat(1000));
    const replaced = await sendFile(page, text, 'text/plain');
    expect([replaced.status, replaced.body.includes('Put back')]).toEqual([200, false]);
    expect(await stored('files', 'large')).toMatchObject({ text: text.toString(), type: 'text/plain' });
    const late = await sendFile(page, Buffer.from('late'), 'text/plain');
    expect([late.status, textOf(late).includes('has changed meanwhile')]).toEqual([400, true]);
    await sendForm(ada, await ada.get(`${href}?do=remove`), 'remove');
    expect((await stored('files', 'large')).status).toBe(204);
  }, 60_000);

  test('one byte larger is refused with the bound, and so is none', async () => {
    const href = entryHref('files', 'over');
    const over = await sendFile(await ada.get(href), Buffer.alloc(bound + 1), '');
    expect([over.status, textOf(over)]).toEqual([
      400,
      expect.stringContaining('This file is too large: a value has 10 MB at most.'),
    ]);
    const none = await sendFile(await ada.get(href), Buffer.alloc(0), '');
    expect([none.status, textOf(none).includes('Choose a file.')]).toEqual([400, true]);
    expect((await stored('files', 'over')).status).toBe(204);
  }, 60_000);
});

/** Of the button that puts the former value back. */
function undoFields({ body }: Reply): Record<string, string> {
  const form = /<form[^>]*>(?:(?!<\/form>).)*Put back/s.exec(body)![0];
  const fields = [...form.matchAll(/name="(version|value|encoding|type)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name!, value!]));
}

test('that a value was read is in the audit, and the value is not', async () => {
  await store('orders', 'private', 'nobody-else-reads-this', 'text/plain');
  await ada.get(entryHref('orders', 'private'));
  const audit = () => callApi(console, 'GET', '/audit?event=map.entry.read&limit=200');
  await expect
    .poll(async () => JSON.stringify(await audit()), { timeout: 10_000 })
    .toContain('orders/private');
  const said = JSON.stringify(await audit()) + console.stderr();
  expect(said).not.toContain('nobody-else-reads-this');
  expect(said).not.toContain(Buffer.from('nobody-else-reads-this').toString('base64'));
});

describe('the keys of a map', () => {
  test('are asked for one by one, by lines and by a range', async () => {
    await Promise.all([1, 2, 4].map((at) => store('parts', `p-${at}`, String(at), 'text/plain')));
    const one = await ada.get(`${mapHref('parts')}?keys=p-1`);
    expect([one.status, one.headers.location]).toEqual([303, entryHref('parts', 'p-1')]);
    const many = await ada.get(`${mapHref('parts')}?keys=${encodeURIComponent('p-[1-4]\np-1\nelse')}`);
    expect(textOf(many)).toMatch(
      /p-1 text\/plain 1 byte p-2 text\/plain 1 byte p-3 No entry p-4 text\/plain 1 byte else No entry/,
    );
  });

  test('of more calls than one person has in a second are all found, in several', async () => {
    const slow = await startConsole({ env: { CONSOLE_API_READ_RATE: '10' } });
    try {
      const agent = createUserAgent(slow.url);
      await agent.signIn();
      // The page after it has read too, of the same second.
      await wait(1_000);
      const page = await agent.get(`${mapHref('parts')}?keys=${encodeURIComponent('p-[1-20]')}`);
      expect([page.status, textOf(page).match(/No entry/g)?.length]).toEqual([200, 20]);
      expect(textOf(page)).not.toContain('a second');
    } finally {
      await slow.stop();
    }
  }, 60_000);

  test('are a hundred at most', async () => {
    const many = await ada.get(`${mapHref('parts')}?keys=${encodeURIComponent('p-[1-101]')}`);
    expect([many.status, textOf(many).includes('At most 100 keys are read at once.')]).toEqual([400, true]);
  });

  test('are cleared when the name is typed, and not otherwise', async () => {
    await store('parts', 'p-1', '1', 'text/plain');
    const question = await ada.get(`${mapHref('parts')}?do=clear`);
    const wrong = await sendForm(ada, question, 'clear', { typed_name: 'part' });
    expect([wrong.status, (await stored('parts', 'p-1')).status]).toEqual([400, 200]);
    const done = await sendForm(ada, question, 'clear', { typed_name: 'parts' });
    expect([done.status, (await stored('parts', 'p-1')).status]).toEqual([303, 204]);
  });
});

describe('a queue', () => {
  const offerText = async (queue: string, value: string) =>
    sendForm(ada, await ada.get(queueHref(queue)), 'offer', { value, encoding: 'text', type: 'text/plain' });

  test('takes an item once where its form is sent twice', async () => {
    const page = await ada.get(queueHref('once'));
    const fields = { value: 'job', encoding: 'text', type: 'text/plain' };
    for (const _ of [1, 2]) expect((await sendForm(ada, page, 'offer', fields)).status).toBe(303);
    expect(textOf(await ada.get(queueHref('once')))).toContain('1 item is in it now.');
  });

  test('gives an item that stays on the page and can be offered again', async () => {
    await offerText('jobs', 'first <b>');
    await offerText('jobs', 'second');
    const question = await ada.get(`${queueHref('jobs')}?do=poll`);
    expect(textOf(question)).toContain('is taken away from everybody');
    const taken = await sendForm(ada, question, 'poll');
    expect(textOf(taken)).toContain('The item that was taken');
    expect(taken.body).toContain('first &lt;b>');
    expect(textOf(taken)).toContain('1 item is in it now.');
    const again = await sendForm(ada, question, 'poll');
    expect(textOf(again)).toContain('1 item is in it now.');
    const form = /<form[^>]*>(?:(?!<\/form>).)*Offer again/s.exec(taken.body)![0];
    const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!,
    ]);
    expect((await ada.post(queueHref('jobs'), Object.fromEntries(fields))).status).toBe(303);
    expect(textOf(await ada.get(queueHref('jobs')))).toContain('2 items are in it now.');
  });

  test('is drained into a file when its name is typed, which is fetched and removed', async () => {
    for (const value of ['a', 'b', 'c']) await offerText('mails', value);
    const question = await ada.get(`${queueHref('mails')}?do=drain`);
    expect(question.body).toMatch(/name="most"[^>]*value="3"/);
    for (const fields of [
      { typed_name: 'x', most: '2' },
      { typed_name: 'mails', most: 'many' },
      { typed_name: 'mails', most: '100.001' },
      { typed_name: 'mails', most: '1.5' },
    ]) {
      expect((await sendForm(ada, question, 'drain', fields)).status).toBe(400);
    }
    expect(textOf(await ada.get(queueHref('mails')))).toContain('3 items are in it now.');
    const begun = await sendForm(ada, question, 'drain', { typed_name: 'mails', most: '2' });
    const [id] = /job_[0-9a-f]{32}$/.exec(begun.headers.location!) ?? [];
    const again = await sendForm(ada, question, 'drain', { typed_name: 'mails', most: '2' });
    expect(again.headers.location).toContain(id);
    const job = `/observe/jobs/${id}`;
    await until(async () => textOf(await ada.get(job)).includes('To the file'), 'the end of the job');
    expect(textOf(await ada.get(job))).toContain('2 of 2 items');
    const queue = await ada.get(queueHref('mails'));
    expect(textOf(queue)).toContain('1 item is in it now.');
    const href = `${queueHref('mails')}/drains/${id}`;
    expect(queue.body).toContain(`href="${href}"`);
    const page = await ada.get(href);
    expect(textOf(page)).toContain('They are in no queue any more');
    const file = await ada.get(`${href}/items`);
    expect([file.status, file.headers['content-disposition'], file.body]).toEqual([
      200,
      expect.stringMatching(/^attachment; filename="items-job_\w+\.jsonl"$/),
      '{"type":"text/plain","value":"YQ=="}\n{"type":"text/plain","value":"Yg=="}\n',
    ]);
    expect(file.headers['cache-control']).toBe('no-store');
    const removal = await ada.get(`${href}?do=remove`);
    expect(textOf(removal)).toContain('2 items are removed for good');
    expect((await sendForm(ada, removal, 'remove', { typed_name: 'x' })).status).toBe(400);
    const removed = await ada.follow(await sendForm(ada, removal, 'remove', { typed_name: 'mails' }));
    expect(textOf(removed)).toContain('The file is removed.');
    expect((await ada.get(`${href}/items`)).status).toBe(404);
  });

  test('is drained by who may that alone, who sees the own file, and stops what runs', async () => {
    await callApi(console, 'POST', '/roles', {
      id: 'Drainer',
      permissions: ['api:queues:read', 'api:queues:write'],
    });
    const [eve, other] = await Promise.all([
      personWith(console, 'eve', ['Drainer']),
      personWith(console, 'otto', ['Drainer']),
    ]);
    for (const value of ['a', 'b']) await offerText('owned', value);
    const question = await eve.get(`${queueHref('owned')}?do=drain`);
    const begun = await sendForm(eve, question, 'drain', { typed_name: 'owned', most: '1' });
    const href = begun.headers.location!;
    expect(href).toMatch(/^\/cluster\/queues\/owned\/drains\/job_/);
    await until(async () => textOf(await eve.get(href)).includes('Download'), 'the file');
    expect((await eve.get(`${href}/items`)).body).toContain('"value":"YQ=="');
    for (const path of [href, `${href}/items`]) expect((await other.get(path)).status).toBe(404);
    const csrf = hiddenIn(await other.get(queueHref('owned')), 'csrf')!;
    for (const name of ['stop', 'remove']) {
      expect((await other.post(href, { csrf, do: name, typed_name: 'owned' })).status).toBe(404);
    }
    expect((await other.get(queueHref('owned'))).body).not.toContain('/drains/');
    // It is over: that it is to stop changes nothing.
    const own = hiddenIn(await eve.get(queueHref('owned')), 'csrf')!;
    expect((await eve.post(href, { csrf: own, do: 'stop' })).status).toBe(303);
    expect((await ada.get(href)).status).toBe(200);
  });

  test('that is empty says so when it is polled', async () => {
    const done = await sendForm(ada, await ada.get(`${queueHref('empty')}?do=poll`), 'poll');
    expect(textOf(done)).toContain('The queue is empty: nothing was taken.');
  });
});

describe('who may', () => {
  const pages = [
    '/cluster/maps',
    mapHref('orders'),
    entryHref('orders', 'a1'),
    '/cluster/queues',
    queueHref('jobs'),
  ];

  test.each(pages)('signed out, %s leads to the sign-in', async (page) => {
    const reply = await createUserAgent(console.url).get(page);
    expect([reply.status, new URL(reply.headers.location!, console.url).pathname]).toEqual([303, '/login']);
  });

  test('a viewer reads and finds no control that changes anything', async () => {
    const viewer = await personWith(console, 'viewer', ['Viewer']);
    for (const page of pages) {
      const reply = await viewer.get(page);
      expect([page, reply.status]).toEqual([page, 200]);
      expect(reply.body).not.toMatch(/name="do" value="(?:put|offer)"|\?do=/);
    }
    const csrf = hiddenIn(await viewer.get('/account'), 'csrf')!;
    const fields = { csrf, do: 'put', value: 'x', encoding: 'text', type: '' };
    expect((await viewer.post(entryHref('orders', 'a1'), fields)).status).toBe(403);
    expect((await viewer.get(`${queueHref('jobs')}?do=poll`)).status).toBe(403);
  });

  test('who reads metrics alone, and who has a role for one map, finds none of the pages', async () => {
    const watcher = await personWith(console, 'watcher', ['MetricsViewer']);
    for (const page of pages) expect((await watcher.get(page)).status).toBe(403);
  });

  test.each(foreignForms)('a form $name changes nothing', async ({ fields, headers }) => {
    await store('orders', 'safe', 'safe', 'text/plain');
    const page = await ada.get(entryHref('orders', 'safe'));
    const typed = { value: 'x', encoding: 'text', type: '', version: hiddenIn(page, 'version')! };
    const csrf = hiddenIn(page, 'csrf')!;
    const reply = await ada.post(
      entryHref('orders', 'safe'),
      { csrf, do: 'put', ...typed, ...fields },
      headers,
    );
    expect(reply.status).toBe(403);
    expect(await stored('orders', 'safe')).toMatchObject({ text: 'safe' });
  });
});

test.each(['<script>alert(1)</script>', 'a/../../b', ' lead', 'x'.repeat(1001)])(
  'a name that no map can have is a clear page and nothing else: %s',
  async (name) => {
    for (const page of [mapHref(name), queueHref(name), entryHref('orders', name)]) {
      const reply = await ada.get(page);
      expect([400, 404]).toContain(reply.status);
      expect(reply.body).not.toContain('<script>alert');
      expect(titleOf(reply)).not.toBe('');
    }
  },
);

test.each(['مفتاح', '🗝️ key', 'x'.repeat(1000)])('a key in any script is one: %s', async (key) => {
  const put = await sendForm(ada, await ada.get(entryHref('names', key)), 'put', {
    value: 'here',
    encoding: 'text',
    type: 'text/plain',
  });
  expect(put.status).toBe(200);
  expect(await stored('names', key)).toMatchObject({ text: 'here' });
});

describe('a pin', () => {
  test.each([
    { kind: 'maps', href: mapHref('never-called') },
    { kind: 'queues', href: queueHref('never-called') },
  ])('of $kind puts a name that nobody has called into the own list', async ({ kind, href }) => {
    const viewer = await personWith(console, `pinner-${kind}`, ['Viewer']);
    expect(textOf(await viewer.get(`/cluster/${kind}`))).not.toContain('never-called');
    const pinned = await viewer.follow(await sendForm(viewer, await viewer.get(href), 'pin'));
    expect(textOf(pinned)).toContain('Pinned: it stands in your list.');
    expect(textOf(await viewer.get(`/cluster/${kind}`))).toMatch(/never-called (?:\S+ ){3,4}Pinned/);
    expect(textOf(await ada.get(`/cluster/${kind}`))).not.toContain('never-called');
    const unpinned = await viewer.follow(await sendForm(viewer, pinned, 'unpin'));
    expect(textOf(unpinned)).toContain('Unpinned.');
    expect(textOf(await viewer.get(`/cluster/${kind}`))).not.toContain('never-called');
  });

  test.each(foreignForms)('is not made by a form $name (S31)', async ({ fields, headers }) => {
    const csrf = hiddenIn(await ada.get(mapHref('foreign')), 'csrf')!;
    const sent = { csrf, do: 'pin', ...fields };
    expect((await ada.post(mapHref('foreign'), sent, headers)).status).toBe(403);
    expect(textOf(await ada.get('/cluster/maps'))).not.toContain('foreign');
  });
});
