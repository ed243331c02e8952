/** Said of a key that could have an entry, and has none. A file of its own: pages are loaded without the operations. */
export const noEntry = 'The map has no entry of this key.';
