import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Well under the second within which another process's change must be seen. */
const pollMs = 400;

/**
 * Calls `look` soon after `file` may have been replaced: at once where the system reports it,
 * and every 400 ms in any case, since such reports get lost (network file systems, exhausted watches).
 * Keeps no process alive.
 */
export function followFile(file: string, check: () => void): { close(): void } {
  const timer = setInterval(check, pollMs);
  timer.unref();
  const watcher = watchIfPossible(file, check);
  return {
    close() {
      clearInterval(timer);
      watcher?.close();
    },
  };
}

function watchIfPossible(file: string, check: () => void): FSWatcher | undefined {
  const own = basename(file);
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === own) check();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
