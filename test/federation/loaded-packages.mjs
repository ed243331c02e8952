/** With `--import` in NODE_OPTIONS: writes the packages that a program loads to the file named by LOADED_PACKAGES. */
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// The hooks below run in a thread of their own, which loads this file again.
if (isMainThread) register(import.meta.url);

export function load(url, context, next) {
  const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (name) appendFileSync(process.env.LOADED_PACKAGES, `${name}\n`);
  return next(url, context);
}
