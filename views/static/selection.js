// Rows of a list that are selected: how many, the box of all of them, and a range with Shift.
const form = document.querySelector('[data-selection]');
const page = document.querySelector('[data-pick=page]');
const all = form.elements.namedItem('all');
const said = form.querySelector('output');
const usual = said.textContent;
const { lang } = document.documentElement;
const numbers = new Intl.NumberFormat(lang === 'en' ? 'en-GB' : lang);
const boxes = () => [...document.querySelectorAll('tbody input[form=selection]')];
let last;

function show() {
  const some = boxes();
  const selected = some.filter(({ checked }) => checked).length;
  const text = selected === 0 ? usual : form.dataset.selection.replace('{n}', numbers.format(selected));
  const next = all?.checked ? all.labels[0].textContent : text;
  if (said.textContent !== next) said.textContent = next;
  if (!page) return;
  page.checked = selected > 0 && selected === some.length;
  page.indeterminate = selected > 0 && selected < some.length;
}

function selectEach(isSelected) {
  for (const box of boxes()) box.checked = isSelected;
}

document.addEventListener('click', (event) => {
  const box = event.target;
  if (!box.matches?.('tbody input[form=selection]')) return;
  const some = boxes();
  if (event.shiftKey && last?.isConnected) {
    const [from, to] = [some.indexOf(last), some.indexOf(box)].sort((one, other) => one - other);
    for (const between of some.slice(from, to + 1)) between.checked = box.checked;
  }
  last = box;
  // Who takes one out does not mean all any more.
  if (all && !box.checked) all.checked = false;
  show();
});

page?.addEventListener('change', () => {
  selectEach(page.checked);
  if (all && !page.checked) all.checked = false;
  show();
});
all?.addEventListener('change', () => {
  selectEach(all.checked);
  show();
});
form.addEventListener('reset', () => setTimeout(show));
// On the way back the browser has set them as they were.
addEventListener('pageshow', show);
if (page) page.hidden = false;
show();
