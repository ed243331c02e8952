import { readFileSync } from 'node:fs';

/** From the package's own file, which lies above the sources and above `dist/`. */
export function version(): string {
  const isBuilt = import.meta.url.endsWith('.js');
  const file = new URL(isBuilt ? '../../package.json' : '../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
