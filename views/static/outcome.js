// An act on many goes on: its message follows, and at its end the list is shown as it is by then.
const everyMs = 2000;

async function follow() {
  const outcome = document.getElementById('outcome');
  try {
    const response = await fetch(location.href);
    if (!response.ok || response.redirected) return location.reload();
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const next = page.getElementById('outcome');
    if (!next) return;
    const isOver = !('running' in next.dataset);
    // What is selected stays so.
    if (isOver && !document.querySelector('[form=selection]:checked')) return location.reload();
    if (outcome.className !== next.className) outcome.className = next.className;
    if (outcome.innerHTML !== next.innerHTML) outcome.replaceChildren(...next.childNodes);
    if (isOver) return;
  } catch {
    // The next one may come through.
  }
  setTimeout(follow, everyMs);
}

setTimeout(follow, everyMs);
