/** Calls that the console denies over and over: somebody waits for something, or has been left running. */
import { about, type Finding } from './finding.ts';

export interface DeniedCaller {
  readonly kind: 'client' | 'user';
  readonly id: string;
  readonly reason: string;
  readonly fix: string;
}

export function checkDenials(denied: readonly DeniedCaller[]): readonly Finding[] {
  return denied.map(({ kind, id, reason, fix }) => about(`${kind} ${id}`).warning(reason, fix));
}
