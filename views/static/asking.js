// What is asked before an act, over the page that has its link. Without script, and in a tab of its own, it is a page.
const isAlone = ({ button, metaKey, ctrlKey, shiftKey, altKey }) =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
// What is added is filled in on a page, and steps lead to others.
const neverAsked = ['new', 'go'];
const idPrefix = 'asked-';
let isAsking = false;

// So that none of it has a name that the page below has, too.
function renameIds(question) {
  for (const element of question.querySelectorAll('[id]')) element.id = idPrefix + element.id;
  for (const name of ['for', 'aria-describedby', 'aria-labelledby'])
    for (const element of question.querySelectorAll(`[${name}]`))
      element.setAttribute(
        name,
        element
          .getAttribute(name)
          .split(' ')
          .map((id) => idPrefix + id)
          .join(' '),
      );
}

function fill(dialog, question, page) {
  const title = document.createElement('h2');
  renameIds(question);
  title.id = `${idPrefix}title`;
  title.append(...page.querySelector('h1').childNodes);
  dialog.setAttribute('aria-labelledby', title.id);
  dialog.append(title, question);
  const leave = question.querySelector('.actions a');
  leave.autofocus = true;
  leave.addEventListener('click', (event) => {
    if (!isAlone(event)) return;
    event.preventDefault();
    dialog.close();
  });
}

async function ask(href) {
  isAsking = true;
  await showOver(href, '[data-question]', fill);
  isAsking = false;
}

addEventListener('click', (event) => {
  const link = event.target.closest?.('main a[href]');
  if (!link || event.defaultPrevented || !isAlone(event)) return;
  const { origin, searchParams } = new URL(link.href);
  const act = searchParams.get('do');
  if (origin !== location.origin || act === null || neverAsked.includes(act)) return;
  event.preventDefault();
  if (!isAsking) ask(link.href);
});
