import type { Stream } from './streams.ts';

const mostTries = 300;

/** The smallest stream that is found to fail still, by leaving out pieces and runs of bytes. */
export async function shrink(stream: Stream, fails: (stream: Stream) => Promise<boolean>): Promise<Stream> {
  let best = stream;
  let tries = 0;
  for (let size = 1_024; size >= 1; size = Math.floor(size / 2)) {
    for (let chunk = 0; chunk < best.length; chunk += 1) {
      for (let at = 0; at < (best[chunk]?.length ?? 0) && tries < mostTries; ) {
        const text = best[chunk]!;
        const shorter = text.slice(0, at) + text.slice(at + size);
        const candidate = best.map((one, i) => (i === chunk ? shorter : one)).filter(Boolean);
        tries += 1;
        if (candidate.length > 0 && (await fails(candidate))) best = candidate;
        else at += size;
      }
    }
  }
  return best;
}
