// Copies what stands beside a button. Without script, or where a page may not (no https), the button is not there.
function offerCopies(root) {
  for (const button of navigator.clipboard ? root.querySelectorAll('[data-copy]') : []) {
    const word = button.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = button.closest('.copyable').querySelector('code, bdi').textContent;
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        return;
      }
      button.textContent = button.dataset.copy;
      setTimeout(() => {
        button.textContent = word;
      }, 2000);
    });
  }
}

offerCopies(document);
