// Keeps the marked part of the page up to date while somebody looks at it. Without script the page
// loads itself anew (see the noscript element).
const intervalMs = 3000;
const frameTimeoutMs = 10_000;
/** Also on the page that a refused form is answered with. */
const source = '/';
const part = '[data-live]';
let isRenewing = false;

setInterval(update, intervalMs);
document.addEventListener('visibilitychange', update);

async function update() {
  if (document.hidden || isRenewing) return;
  try {
    const response = await fetch(source, {
      redirect: 'manual',
      headers: { Accept: 'text/html' },
    });
    if (response.type === 'opaqueredirect') return await signInAgain();
    if (response.ok) replaceLivePart(await response.text());
    document.body.toggleAttribute('data-stale', !response.ok);
  } catch {
    document.body.toggleAttribute('data-stale', true);
  }
}

function replaceLivePart(html) {
  const next = new DOMParser().parseFromString(html, 'text/html');
  for (const element of document.querySelectorAll(part)) {
    const fresh = next.querySelector(`[data-live="${element.dataset.live}"]`);
    // A form that somebody is filling in stays as it is.
    if (fresh && !element.contains(document.activeElement)) element.replaceWith(fresh);
  }
}

// The session here is gone, after a restart say. The one at the console may still be there: a hidden
// frame asks, without a page. Otherwise the whole page goes to the sign-in.
async function signInAgain() {
  isRenewing = true;
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.src = '/login/silent';
  const answered = new Promise((resolve) => {
    const timer = setTimeout(resolve, frameTimeoutMs, 'refused');
    window.addEventListener('message', function listen(event) {
      if (event.origin !== window.location.origin || !event.data?.silentRefresh) return;
      window.removeEventListener('message', listen);
      clearTimeout(timer);
      resolve(event.data.silentRefresh);
    });
  });
  document.body.append(frame);
  const outcome = await answered;
  frame.remove();
  isRenewing = false;
  if (outcome !== 'renewed') window.location.assign('/');
  // Forms on this page still carry the token of the old session.
  else window.location.reload();
}
