/** What vouches for the removal of a chain's beginning. */
export interface Retained {
  readonly seq: number;
  /** Of that entry, base64url. */
  readonly c: string;
  /** Of {@link retainedText}, by the key of check-points. */
  readonly signature: string;
}

export function retainedText({
  writer,
  seq,
  c,
}: { readonly writer: string } & Omit<Retained, 'signature'>): string {
  return JSON.stringify({ v: 1, retained: { writer, seq, c } });
}
