// A part of another page, over this one. Where it cannot be had, that page says why.
// biome-ignore lint/correctness/noUnusedVariables: scripts of one page see each other's functions
async function showOver(href, selector, made) {
  try {
    const response = await fetch(href);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const part = page.querySelector(selector);
    if (!response.ok || response.redirected || !part) return location.assign(href);
    const dialog = document.createElement('dialog');
    dialog.className = 'over';
    dialog.addEventListener('close', () => dialog.remove());
    made(dialog, part, page);
    document.querySelector('main').append(dialog);
    offerCopies(dialog);
    dialog.showModal();
  } catch {
    location.assign(href);
  }
}
