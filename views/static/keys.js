// Keys, for who likes them: pages work without. They can be turned off, and do nothing while somebody types (WCAG 2.1.4).
const setting = 'console-keys';
const isOff = () => localStorage.getItem(setting) === 'off';
const find = (selector) => document.querySelector(selector);
const rows = () => [...document.querySelectorAll('main tbody tr, main .found li')];
let hasGone = 0;

function focusSearch() {
  const box = find('main input[type=search]') ?? find('.bar-search input');
  if (box?.checkVisibility() === false) return find('.bar-find')?.click();
  box?.focus();
  box?.select();
}

function move(by) {
  const all = rows();
  const here = all.findIndex((row) => row.contains(document.activeElement));
  const next = here === -1 && by < 0 ? -1 : here + by;
  all
    .at(Math.min(Math.max(next, here === -1 ? next : 0), all.length - 1))
    ?.querySelector('a')
    ?.focus();
}

const does = {
  '/': focusSearch,
  '?': () => find('[data-keys=help]')?.click(),
  n: () => find('main a[href*="do=new"]')?.click(),
  e: () =>
    find('main form:has([name=do][value=save]) :is(input:not([type=hidden]), select, textarea)')?.focus(),
  j: () => move(1),
  k: () => move(-1),
};

function isTyping({ target }) {
  return target.closest?.('input, select, textarea, [contenteditable], dialog') !== null;
}

addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (isOff() || event.isComposing) return;
  if ((ctrlKey || metaKey) && !altKey && key === 'k') {
    event.preventDefault();
    return focusSearch();
  }
  if (ctrlKey || metaKey || altKey || isTyping(event)) return;
  const isGoing = Date.now() - hasGone < 1500;
  hasGone = key === 'g' ? Date.now() : 0;
  const act = isGoing ? () => find(`[data-go="${CSS.escape(key)}"]`)?.click() : does[key];
  if (!Object.hasOwn(does, key) && !isGoing) return;
  event.preventDefault();
  act();
});

const choice = find('[data-keys=choice]');
if (choice) {
  choice.checked = !isOff();
  choice.closest('[hidden]').hidden = false;
  choice.addEventListener('change', () => localStorage.setItem(setting, choice.checked ? 'on' : 'off'));
}
