/** With `--import` in NODE_OPTIONS: writes the packages that a program loads to the file named by LOADED_PACKAGES. */
import { appendFileSync, readFileSync } from 'node:fs';
import Module, { register } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// The hooks below run in a thread of their own, which loads this file again.
if (isMainThread) {
  register(import.meta.url);
  const { _load: load } = Module;
  // What is loaded in the older way passes those hooks by.
  Module._load = (name, ...rest) => {
    appendFileSync(process.env.LOADED_PACKAGES, `required ${basename(name)}\n`);
    return load.call(Module, name, ...rest);
  };
}

const name = '((?:@[^/\\s]+/)?[^/\\s]+)/';
const ofFile = new RegExp(`.*/node_modules/${name}`);
/** A built file says what it is made of. */
const inFile = new RegExp(`^// node_modules/${name}`, 'gm');

export function load(url, context, next) {
  for (const loaded of namesIn(url)) appendFileSync(process.env.LOADED_PACKAGES, `${loaded}\n`);
  return next(url, context);
}

function namesIn(url) {
  const [, own] = ofFile.exec(url) ?? [];
  if (own) return [own];
  if (!url.startsWith('file:')) return [];
  return [...readFileSync(fileURLToPath(url), 'utf8').matchAll(inFile)].map(([, part]) => part);
}
