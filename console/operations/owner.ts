/** Whose a record is: who describes it, and where it is to be changed. */
import { z } from 'zod';
import { dateTime } from './resource-fields.ts';

/** What every view says of the owner. */
export const ownerView = z
  .strictObject({
    kind: z.enum(['admin', 'code', 'settings']).meta({
      description:
        'Who describes it: administrators one change at a time, files of configuration as a whole, or the settings.',
    }),
    source: z
      .string()
      .nullable()
      .meta({ description: 'Of `code`: the name that its files give themselves.' }),
  })
  .meta({ id: 'Owner' });

export type Owner = z.output<typeof ownerView>;

/** What every view of what files of configuration can describe says beside its owner. */
export const holdView = z
  .strictObject({
    by: z.string().meta({ description: 'Who did it, as the audit trail names them.' }),
    reason: z.string().meta({ description: 'What was done: the audit event.', example: 'client.disabled' }),
    at: dateTime,
  })
  .meta({
    id: 'Hold',
    description:
      'An object of files of configuration was changed in an emergency: they change nothing of it until it is enabled or taken over.',
  });

export type Hold = z.output<typeof holdView>;

/** Of a record, as the store has it. */
export interface OwnedRecord {
  readonly owner?: { readonly kind: 'code'; readonly source: string };
  readonly hold?: { readonly by: string; readonly reason: string; readonly at: number };
  readonly fromSettings?: boolean;
}

export function ownerOf({ owner, fromSettings = false }: OwnedRecord): Owner {
  if (owner) return owner;
  return { kind: fromSettings ? 'settings' : 'admin', source: null };
}

/** @returns null: it is as files of configuration, or administrators, want it */
export function holdOf({ hold }: Pick<OwnedRecord, 'hold'>): Hold | null {
  return hold ? { ...hold, at: new Date(hold.at).toISOString() } : null;
}
