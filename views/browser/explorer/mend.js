// What the library leaves out, or says wrongly, to who does not see it. It draws parts anew, but leaves attributes alone that it has not set.

/** Now, and for all that is drawn later. */
export function mend(place) {
  mendIn(place);
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes) if (node.nodeType === 1) mendIn(node);
  }).observe(place, { childList: true, subtree: true });
}

function mendIn(part) {
  const all = (selector) => [...(part.matches(selector) ? [part] : []), ...part.querySelectorAll(selector)];
  // Under the title of the page, no level is left out.
  for (const heading of all('h3, h4, h5')) {
    heading.setAttribute('aria-level', Number(heading.localName[1]) - 1);
  }
  // A table is a table: as a region it would be one among others of the same name.
  for (const table of all('table[role=region]')) table.removeAttribute('role');
  // What can be moved by the mouse can be moved by keys (WCAG 2.1.1).
  for (const text of all('pre')) text.tabIndex = 0;
  for (const control of all('[data-param-name] :is(input, select, textarea)')) {
    control.setAttribute('aria-label', control.closest('[data-param-name]').dataset.paramName);
  }
  for (const body of all('.body-param__text')) {
    body.setAttribute('aria-label', body.closest('.opblock-section').querySelector('h4').textContent);
  }
}
