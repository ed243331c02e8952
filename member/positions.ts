/**
 * Splits the body of a management call into its positional values: joined by `&`, form-encoded,
 * decoded once (spec §2.8, §4.4). What is beyond the last position belongs to the last one.
 *
 * @param count  how many the endpoint takes
 * @returns `undefined` when there are fewer, or one of them is not form-encoded UTF-8
 */
export function positionsOf(body: Buffer, count: number): readonly string[] | undefined {
  const parts = body.toString('utf8').split('&');
  if (parts.length < count) return undefined;
  const positions = [...parts.slice(0, count - 1), parts.slice(count - 1).join('&')];
  try {
    return positions.map((position) => decodeURIComponent(position.replaceAll('+', ' ')));
  } catch {
    return undefined;
  }
}
