import type { ClientRecord } from '../storage/records.ts';

/** What people see of an application: its name, or its id where nobody has given it one. */
export function nameOfClient({ id, name }: Pick<ClientRecord, 'id' | 'name'>): string {
  return name ?? id;
}
