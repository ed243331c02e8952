/** Whose an object is, in words. */

/** As the API shows them. */
export interface OwnerView {
  readonly kind: 'admin' | 'code' | 'settings';
  readonly source: string | null;
}

export interface HoldView {
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}

/** For those that files of configuration describe. */
export function ownership({
  owner,
  hold,
}: {
  readonly owner: OwnerView;
  readonly hold: HoldView | null;
}): Readonly<Record<'owner' | 'held', string | undefined>> {
  return {
    owner: owner.kind === 'code' ? `files of configuration: ${owner.source}` : undefined,
    held: hold === null ? undefined : `${hold.reason} by ${hold.by} at ${hold.at}`,
  };
}
