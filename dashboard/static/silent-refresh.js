// Inside the hidden frame: tells the page around it how the renewal went. Only that page, of this origin, hears it.
const { outcome } = document.body.dataset;
if (window.parent !== window && outcome !== 'idle') {
  window.parent.postMessage({ silentRefresh: outcome }, window.location.origin);
}
