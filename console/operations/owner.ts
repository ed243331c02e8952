/** Whose a record is: who describes it, and where it is to be changed. */
import { z } from 'zod';

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

/** Of a record, as the store has it. */
export interface OwnedRecord {
  readonly owner?: { readonly kind: 'code'; readonly source: string };
  readonly fromSettings?: boolean;
}

export function ownerOf({ owner, fromSettings = false }: OwnedRecord): Owner {
  if (owner) return owner;
  return { kind: fromSettings ? 'settings' : 'admin', source: null };
}
