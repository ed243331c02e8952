/** Entries of what people change of their own account: in the transaction of the change, or in the store before it is answered. */
import type { Context } from 'koa';
import type { AuditFields } from '../../platform/log.ts';
import { openElevation } from '../accounts/elevations/effective-roles.ts';
import type { About } from '../http/request-id.ts';
import type { UserRecord } from '../storage/records.ts';
import type { NamedArtifact } from '../storage/storage.ts';

type Line = readonly [event: string, fields: AuditFields];

export interface ChangeEntriesDeps {
  readonly auditOutbox: {
    prepare(lines: readonly Line[]): PreparedChange;
    sayStored(line: Line): Promise<void>;
  };
  readonly about: About;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface PreparedChange {
  /** For the commit of the change. */
  readonly records: readonly NamedArtifact[];
  /** When that is durable: has the audit write them. */
  say(): Promise<void>;
}

/** What has come about with a change, such as the end of an elevation. */
export interface AlsoChanged {
  readonly event: string;
  readonly [field: string]: unknown;
}

export type ChangeEntries = ReturnType<typeof createChangeEntries>;

export function createChangeEntries({ auditOutbox, about, now }: ChangeEntriesDeps) {
  return {
    /** Of the person who acts, with the elevation that is open. */
    fieldsOf,
    /** @param account  as it was before the change */
    prepare(ctx: Context, event: string, account: UserRecord, also: readonly AlsoChanged[]): PreparedChange {
      const others = also.map(({ event: other, ...said }) => lineOf(ctx, other, account, said));
      return auditOutbox.prepare([lineOf(ctx, event, account), ...others]);
    },
    /** Of what has no commit that could have it. Nobody is told of the change before the promise resolves. */
    say: (ctx: Context, event: string, account: UserRecord): Promise<void> =>
      auditOutbox.sayStored(lineOf(ctx, event, account)),
  };

  function lineOf(ctx: Context, event: string, account: UserRecord, said: object = {}): Line {
    return [event, { ...fieldsOf(ctx, account), ...said, outcome: 'success' }];
  }

  function fieldsOf(ctx: Context, account: UserRecord) {
    const elevation = openElevation(account, now())?.id;
    return { ...about(ctx), actor: account.id, ...(elevation && { elevation }) };
  }
}
