import { hostname } from 'node:os';

/** By which people know a process that answers: its machine, or container, and the port that it listens on. */
export function processName(port: number): string {
  return `${hostname().replace(/[^\w.-]/g, '_')}:${port}`;
}
