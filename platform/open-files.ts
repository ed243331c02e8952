import { readFileSync } from 'node:fs';

/** @returns how many files this process may have open, Infinity where the system does not say; Node asks for as many as it may have */
export function openFilesLimit(): number {
  try {
    const [, soft] =
      /^Max open files +(\d+|unlimited) /m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
