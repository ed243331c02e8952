// While somebody fills in a form: what it gives stands as a sentence above the choices, and an id follows the name.
const sentence = document.getElementById('access-sentence');
const form = sentence.closest('form');
const waitMs = 150;
let timer;
let asked;

async function showSentence() {
  asked?.abort();
  asked = new AbortController();
  const { signal } = asked;
  const body = new URLSearchParams(new FormData(form));
  body.set('show', 'sentence');
  try {
    const response = await fetch(form.action, { method: 'POST', body, signal });
    // Whoever is signed out by now learns it when the form is sent.
    if (!response.ok || response.redirected) return;
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    const text = next.getElementById('access-sentence')?.textContent;
    if (text !== undefined && text !== sentence.textContent) sentence.textContent = text;
  } catch {
    // The next choice asks again; sent, the form says it.
  }
}

form.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(showSentence, waitMs);
});

// As the server makes it of a name where no id was typed: console/pages/access/clients/client-changes.ts.
function idFrom(name) {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-|-$/g, '');
}

const id = form.querySelector('[data-follows]');
if (id) {
  const name = form.elements.namedItem(id.dataset.follows);
  // Typed by hand, it stays; emptied, it follows again.
  let follows = id.value === idFrom(name.value);
  id.addEventListener('input', () => {
    follows = id.value === '';
  });
  name.addEventListener('input', () => {
    if (follows) id.value = idFrom(name.value);
  });
}
