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

function showQuestion(heading, question) {
  const dialog = document.createElement('dialog');
  const title = document.createElement('h2');
  dialog.className = 'over';
  dialog.setAttribute('aria-labelledby', `${idPrefix}title`);
  title.append(...heading.childNodes);
  renameIds(question);
  title.id = `${idPrefix}title`;
  dialog.append(title, question);
  const leave = question.querySelector('.actions a');
  leave.autofocus = true;
  leave.addEventListener('click', (event) => {
    if (!isAlone(event)) return;
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.querySelector('main').append(dialog);
  offerCopies(dialog);
  dialog.showModal();
}

// Where it cannot be had, its page says why.
async function ask(href) {
  isAsking = true;
  try {
    const response = await fetch(href);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const question = page.querySelector('[data-question]');
    if (!response.ok || response.redirected || !question) return location.assign(href);
    showQuestion(page.querySelector('h1'), question);
  } catch {
    location.assign(href);
  } finally {
    isAsking = false;
  }
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
