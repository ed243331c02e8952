/** Somebody at a page, with a mouse or with the keyboard alone: finds things by what is written on them, as people do. */
import type { Key, Tab } from './tab.ts';

export interface Visitor {
  open(path: string): Promise<void>;
  /** Waits until this stands in the page. */
  reads(text: string): Promise<void>;
  /** The same of what takes its time: the page is opened again now and then, as without script nothing moves by itself. */
  readsInTime(text: string): Promise<void>;
  /** To the page behind a link. */
  follow(link: string): Promise<void>;
  /** To the page that a form answers with. */
  press(button: string): Promise<void>;
  fill(field: string, text: string): Promise<void>;
  /** A box or one of several choices, which is not chosen yet. */
  choose(choice: string): Promise<void>;
  /** A box, which is chosen then if it was not; by the mouse, and with Shift where that is said. */
  toggle(choice: string, isShift?: boolean): Promise<void>;
  /** A button whose form stays on the page. */
  use(button: string): Promise<void>;
}

type Kind = 'link' | 'button' | 'field' | 'choice';

/** In which way something is brought to what it is for. */
interface Way {
  /** To a place where it takes keys. */
  focus(kind: Kind, name: string): Promise<void>;
  activate(kind: Kind, name: string, isShift?: boolean): Promise<void>;
}

const framesMs = 50;
const patienceMs = 15_000;
const reloadEveryMs = 1_000;

const ways = { mouse: byMouse, keyboard: byKeyboard } as const;

/** @param origin  of the console */
export function createVisitor(tab: Tab, origin: string, way: keyof typeof ways): Visitor {
  const { focus, activate } = ways[way](tab);
  const leave = async (kind: Kind, name: string) => {
    await until(tab, find, { kind, name, wanted: 'existence' }, `${kind} "${name}"`);
    await tab.evaluate(sayThatItIsLeft, undefined);
    await activate(kind, name);
    await until(tab, hasArrived, undefined, `page after ${kind} "${name}"`);
  };
  return {
    open: (path) => tab.open(origin + path),
    reads: async (text) => {
      await until(tab, isWritten, text, `"${text}"`);
    },
    async readsInTime(text) {
      for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
        if (await tab.evaluate(isWritten, text).catch(() => undefined)) return;
        await new Promise((resolve) => setTimeout(resolve, reloadEveryMs));
        await tab.open(await tab.evaluate(pageAddress, null));
      }
      await until(tab, isWritten, text, `"${text}"`);
    },
    follow: (link) => leave('link', link),
    press: (button) => leave('button', button),
    fill: async (name, text) => {
      await focus('field', name);
      await tab.press('Control+a');
      await tab.type(text);
      const isThere = await tab.evaluate(find, { kind: 'field', name, wanted: 'value' });
      if (isThere !== text) throw new Error(`"${name}" has "${isThere}", not what was typed.`);
    },
    choose: async (name) => {
      await activate('choice', name);
      await until(tab, find, { kind: 'choice', name, wanted: 'choice' }, `chosen "${name}"`);
    },
    toggle: (name, isShift) => activate('choice', name, isShift),
    use: (name) => activate('button', name),
  };
}

function byMouse(tab: Tab): Way {
  const click = async (kind: Kind, name: string, isShift = false) => {
    const where = `${kind} "${name}" that a mouse can reach`;
    const pointNow = () => until(tab, find, { kind, name, wanted: 'point' }, where);
    // Where it stays for some frames: until what the scrolling brings is painted, a click meets what was there before.
    let point = await pointNow();
    for (let next = await later(pointNow); next !== point; next = await later(pointNow)) point = next;
    const [x, y] = point.split(',').map(Number);
    await tab.click(x!, y!, isShift);
  };
  return { focus: click, activate: click };
}

/** After some frames. */
async function later<T>(read: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, framesMs));
  return read();
}

/** More than any page has between the beginning of its content and what is looked for. */
const longestWay = 200;

/** What one presses where the focus is: back to what stands before it, as what is behind the last one is the browser's own. */
const keyAt: Readonly<Record<string, Key>> = { skip: 'Enter', behind: 'Shift+Tab' };

function byKeyboard(tab: Tab): Way {
  const focus = async (kind: Kind, name: string) => {
    await until(tab, find, { kind, name, wanted: 'existence' }, `${kind} "${name}"`);
    for (let at = 0; at < longestWay; at++) {
      const place = await tab.evaluate(find, { kind, name, wanted: 'focus' });
      if (place === 'there') return;
      if (place === 'unseen') throw new Error(`The focus cannot be seen on the way to "${name}".`);
      if (place === 'left') throw new Error(`Tab leaves the page on the way to ${kind} "${name}".`);
      await tab.press(keyAt[place!] ?? 'Tab');
    }
    throw new Error(`Tab does not lead to ${kind} "${name}".`);
  };
  return {
    focus,
    activate: async (kind, name) => {
      await focus(kind, name);
      await tab.press(kind === 'choice' ? ' ' : 'Enter');
    },
  };
}

/** Asks again until there is an answer: a page may be on its way. */
async function until<A, T>(
  tab: Tab,
  read: (argument: A) => T,
  argument: A,
  what: string,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await tab.evaluate(read, argument).catch(() => undefined);
    if (answer) return answer;
    if (Date.now() > deadline)
      throw new Error(`There is no ${what} at ${await tab.evaluate(pageText, null)}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

// What follows runs in pages: none of it needs another.

interface Sought {
  readonly kind: Kind;
  /** All of what is written on it, or its first words; of a field, on its label. */
  readonly name: string;
  readonly wanted: 'existence' | 'point' | 'focus' | 'value' | 'choice';
}

/** @returns what is wanted of it; nothing while it is not there, or not so */
function find({ kind, name, wanted }: Sought): string | undefined {
  const selector = {
    link: 'a[href]',
    button: 'button, input[type=submit]',
    field: 'input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea',
    choice: 'input[type=checkbox], input[type=radio]',
  }[kind];
  const textOf = (element: HTMLElement) =>
    (element.getAttribute('aria-label') ?? element.innerText).replace(/\s+/g, ' ').trim();
  const nameOf = (element: HTMLInputElement) =>
    kind === 'link' || kind === 'button'
      ? textOf(element)
      : (element.getAttribute('aria-label') ?? [...(element.labels ?? [])].map(textOf).join(' '));
  const root = document.querySelector('dialog[open]') ?? document.querySelector('main') ?? document;
  const all = [...root.querySelectorAll<HTMLInputElement>(selector)]
    .filter((element) => element.getClientRects().length > 0)
    .map((element) => ({ element, text: nameOf(element) }));
  const found = (
    all.find(({ text }) => text === name) ??
    all.find(({ text }) => text.startsWith(name) && !/\w/.test(text[name.length]!))
  )?.element;
  if (!found) return undefined;
  if (wanted === 'existence') return 'there';
  if (wanted === 'value') return found.value;
  if (wanted === 'choice') return found.checked ? 'chosen' : undefined;
  if (wanted === 'focus') {
    const focused = document.activeElement;
    if (!document.hasFocus()) return 'left';
    if (focused === null || focused === document.body || focused === root) return 'away';
    if (getComputedStyle(focused).outlineStyle === 'none') return 'unseen';
    if (focused.matches('.skip')) return 'skip';
    if (focused === found) return 'there';
    const place = found.compareDocumentPosition(focused);
    return place & Node.DOCUMENT_POSITION_FOLLOWING ? 'behind' : 'away';
  }
  found.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { left, top, height } = found.getClientRects()[0]!;
  const [x, y] = [left + Math.min(8, found.clientWidth / 2 || 8), top + height / 2];
  const over = document.elementFromPoint(x, y);
  return over !== null && (found.contains(over) || over.contains(found)) ? `${x},${y}` : undefined;
}

function pageAddress(): string {
  return location.href;
}

function pageText(): string {
  return `${location.pathname}${location.search}: ${document.body.innerText.replace(/\s+/g, ' ').slice(0, 1_500)}`;
}

function isWritten(text: string): boolean {
  const root =
    document.querySelector<HTMLElement>('dialog[open]') ?? document.querySelector('main') ?? document.body;
  const page = root.innerText.replace(/\s+/g, ' ');
  return page.includes(text);
}

/** With the question over it, where there is one. */
function sayThatItIsLeft(): void {
  const question = document.querySelector('dialog[open]');
  document.documentElement.setAttribute('data-left', question ? 'question' : 'page');
  question?.setAttribute('data-left', '');
}

/** At another page, at a question over this one, or back from that. */
function hasArrived(): boolean {
  if (document.readyState !== 'complete') return false;
  const left = document.documentElement.getAttribute('data-left');
  const question = document.querySelector('dialog[open]');
  return left === null || (question ? !question.hasAttribute('data-left') : left === 'question');
}
