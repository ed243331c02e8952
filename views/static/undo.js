// What takes back what has just been done goes after 30 s, where nobody is about to use it.
const shownMs = 30_000;
const laterMs = 1000;

function leave(undo) {
  if (undo.matches(':hover, :focus-within')) setTimeout(() => leave(undo), laterMs);
  // Its place stays: nothing moves under the pointer.
  else undo.classList.add('gone');
}

for (const undo of document.querySelectorAll('[data-undo]')) setTimeout(() => leave(undo), shownMs);
