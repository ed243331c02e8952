// Keeps the parts of a page as they are now, by one stream of server-sent events at the page's own address.
const control = document.querySelector('[data-live]');
const status = control.querySelector('[role=status]');
const button = control.querySelector('button');
const address = new URL(location.href);
address.searchParams.set('live', '1');
const { newest } = control.dataset;
if (newest !== undefined) address.searchParams.set('newest', newest);
const newItems = document.querySelector('[data-new]');
const { lang } = document.documentElement;
const plural = new Intl.PluralRules(lang);
const clock = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { hour: '2-digit', minute: '2-digit' });
const texts = JSON.parse(control.dataset.live);
const shortestMs = 500;
const longestMs = 60_000;
const pollMs = 30_000;
const leavingMs = 10_000;

let source;
let timer;
let waitMs = shortestMs;
let lastId = '';
let lostAt;
let isPaused = false;
const waiting = new Map();

function say(text) {
  if (status.textContent !== text) status.textContent = text;
}

function close() {
  clearTimeout(timer);
  source?.close();
  source = undefined;
}

function open() {
  close();
  if (isPaused || document.hidden) return;
  if (lastId !== '') address.searchParams.set('after', lastId);
  source = new EventSource(address);
  source.onmessage = (event) => {
    goOn(event);
    const { parts, stale = {} } = JSON.parse(event.data);
    takeAll(parts);
    for (const [id, why] of Object.entries(stale)) leaveAsOf(id, why);
  };
  source.addEventListener('job', ({ data }) => takeAll(JSON.parse(data).parts));
  source.addEventListener('new', (event) => {
    goOn(event);
    showNew(JSON.parse(event.data));
  });
  source.addEventListener('resumed', goOn);
  source.addEventListener('reset', () => void refresh());
  source.addEventListener('bye', ({ data }) => leave(JSON.parse(data).reason));
  source.onerror = lost;
}

function goOn({ lastEventId }) {
  // The bar, which all pages have, may come before the page's own.
  if (lastEventId !== '') lastId = lastEventId;
  waitMs = shortestMs;
  lostAt = undefined;
  say(texts.live);
}

function showNew({ count, isExact }) {
  const link = newItems.querySelector('a');
  const { one, other, more } = JSON.parse(newItems.dataset.new);
  const form = plural.select(count) === 'one' ? one : other;
  const text = (isExact ? form : more).replace('{n}', count);
  if (link.textContent !== text) link.textContent = text;
  link.hidden = count === 0;
}

function leave(reason) {
  close();
  // The page says what there is to say: where to sign in, or what may be seen now.
  if (reason === 'session-ended' || reason === 'role-changed' || reason === 'gone') location.reload();
  else if (reason === 'too-many') poll();
  else lost();
}

function lost() {
  close();
  if (isPaused || document.hidden) return;
  lostAt ??= new Date();
  say(texts.lost.replace('{time}', clock.format(lostAt)));
  timer = setTimeout(open, waitMs * (0.5 + Math.random() / 2));
  waitMs = Math.min(waitMs * 2, longestMs);
}

// Too many streams are open: the page asks now and then instead.
function poll() {
  say(texts.every);
  timer = setTimeout(async () => {
    await refresh();
    open();
  }, pollMs);
}

async function refresh() {
  // A list stays as it is until somebody asks for it anew.
  if (newItems) return;
  try {
    const response = await fetch(location.href);
    // A load balancer that has not found yet who else is there: the stream brings what is to be shown.
    if (response.status >= 500) return;
    if (!response.ok || response.redirected) return location.reload();
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const part of document.querySelectorAll('main [id], .bar-figures [id]')) {
      const next = page.getElementById(part.id);
      if (next && part.matches('.part, .parts, [data-part]')) take(part.id, next.outerHTML);
    }
  } catch {
    // The next one may come through.
  }
}

function takeAll(parts) {
  for (const [id, html] of Object.entries(parts)) take(id, html);
}

function take(id, html) {
  const part = document.getElementById(id);
  if (!part) return;
  const next = new DOMParser().parseFromString(html, 'text/html').body.firstElementChild;
  if (!next) return;
  const isAnew = next.dataset.anew !== part.dataset.anew;
  // Rows do not move under the pointer, and what is selected stays so.
  if ((isAnew ? document : part).querySelector('tbody tr:hover') || isSelected(part)) {
    waiting.set(id, html);
    return;
  }
  waiting.delete(id);
  // Rows have come or gone.
  if (isAnew) return void location.reload();
  morph(part, next);
  document.dispatchEvent(new Event('parts'));
}

// It cannot be had now: what was there stays, and says of when it is.
function leaveAsOf(id, why) {
  const part = document.getElementById(id);
  if (!part || part.dataset.asOf !== undefined) return;
  part.dataset.asOf = texts.asOf.replace('{time}', clock.format(new Date())).replace('{why}', why);
}

function isSelected(part) {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
}

function morph(from, to) {
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  for (const { name } of [...from.attributes]) {
    // What somebody has opened stays open.
    if (name !== 'open' && !to.hasAttribute(name)) from.removeAttribute(name);
  }
  // A plot draws itself, from its attribute; what is typed stays.
  if (from.hasAttribute('data-plot') || from === document.activeElement) return;
  const old = [...from.childNodes];
  const next = [...to.childNodes];
  next.forEach((child, at) => {
    const before = old[at];
    if (!before) from.append(document.importNode(child, true));
    else if (before.nodeName !== child.nodeName || before.id !== child.id) {
      before.replaceWith(document.importNode(child, true));
    } else if (before.nodeType === Node.ELEMENT_NODE) morph(before, child);
    else if (before.data !== child.data) before.data = child.data;
  });
  for (const child of old.slice(next.length)) child.remove();
}

button.addEventListener('click', () => {
  isPaused = !isPaused;
  button.textContent = isPaused ? texts.goOn : texts.pause;
  say(isPaused ? texts.paused : texts.live);
  if (isPaused) close();
  else open();
});
// A tab that nobody sees leaves its connection to others.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) close();
  else open();
});
addEventListener('pagehide', close);
// Whoever leaves is on the way already: a sign-out ends the session before its page is there. What is
// downloaded leaves the page where it is.
addEventListener('beforeunload', () => {
  close();
  timer = setTimeout(open, leavingMs);
});
document.addEventListener('pointerout', () => takeAll(Object.fromEntries(waiting)));
open();
