// Keys, for who likes them: pages work without. They can be turned off, and do nothing while somebody types (WCAG 2.1.4).
const setting = 'console-keys';
const isOff = () => localStorage.getItem(setting) === 'off';
const find = (selector) => document.querySelector(selector);
const rows = () => [...document.querySelectorAll('main tbody tr, main .found li')];
let hasGone = 0;

function focusSearch() {
  // Where the page is the search, its own box; that of a list filters the list alone.
  const box = find('main form[action="/observe/search"] input[type=search]') ?? find('.bar-search input');
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

// Of the row with the focus, or the first: its box, as a click would.
function select() {
  const row = rows().find((one) => one.contains(document.activeElement)) ?? rows()[0];
  const box = row?.querySelector('input[form=selection]');
  if (!box) return;
  if (!row.contains(document.activeElement)) box.focus();
  box.click();
}

// What the page of all keys says of them, over this one; where that cannot be had, the page itself.
async function showKeys() {
  const help = find('[data-keys=help]');
  const href = help?.href;
  if (href === undefined || find('dialog[open]')) return;
  const here = find('[data-keys=choice]');
  if (here) return here.closest('section').scrollIntoView();
  await showOver(href, '#keys', (dialog, keys) => {
    const close = document.createElement('button');
    dialog.classList.add('keys');
    dialog.setAttribute('aria-labelledby', 'all-keys-title');
    close.className = 'button';
    close.textContent = help.dataset.close;
    close.autofocus = true;
    close.addEventListener('click', () => dialog.close());
    // The page over which it stands may have a part of this name.
    keys.id = 'all-keys';
    keys.querySelector('h2').id = 'all-keys-title';
    keys.setAttribute('aria-labelledby', 'all-keys-title');
    // First, so that who has the focus on it sees the beginning.
    dialog.append(close, keys);
  });
  offerChoice();
}

const does = {
  '/': focusSearch,
  '?': showKeys,
  n: () => find('main a[href*="do=new"]')?.click(),
  e: () =>
    find(
      'main form:has([name=do]:is([value=save], [value=put])) :is(input:not([type=hidden]), select, textarea)',
    )?.focus(),
  j: () => move(1),
  k: () => move(-1),
  x: select,
  p: () => find('[data-live] button')?.click(),
};

// What has happened in a part with a tree of its own is reported by that part.
function isTyping(event) {
  const [target] = event.composedPath();
  return (
    target.closest?.('input:not([form=selection]), select, textarea, [contenteditable], dialog') !== null
  );
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

function offerChoice() {
  const choice = find('[data-keys=choice]');
  if (!choice) return;
  choice.checked = !isOff();
  choice.closest('[hidden]').hidden = false;
  choice.addEventListener('change', () => localStorage.setItem(setting, choice.checked ? 'on' : 'off'));
}

offerChoice();
// In a low window the column of pages is longer than its place.
find('.pages [aria-current]')?.scrollIntoView({ block: 'nearest' });
