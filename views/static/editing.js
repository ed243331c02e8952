// Offers an editor for a text field: it is loaded when somebody wants it, and the field does without.
for (const button of document.querySelectorAll('[data-editor]')) {
  const words = JSON.parse(button.dataset.words);
  const place = button.closest('.field');
  const status = place.querySelector('[role=status]');
  let opened;
  let isShown = false;

  button.addEventListener('click', async () => {
    try {
      const { openEditor } = await import(button.dataset.editor);
      opened ??= openEditor(place.querySelector('textarea'), words);
    } catch {
      status.textContent = words.failed;
      return;
    }
    status.textContent = '';
    isShown = !isShown;
    button.textContent = isShown ? words.close : words.open;
    if (isShown) opened.show();
    else opened.hide();
  });
}
