/** Segments as they are now, read anew only when another one has come or gone. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Segment } from '../segments/segment-form.ts';
import { segmentsOf, writersOf } from '../segments/segment-reader.ts';

export interface KnownSegments {
  writers(): readonly string[];
  /** In order. */
  of(writer: string): readonly Segment[];
  /** Whether something was written since it was asked last. */
  hasChanged(writer: string): boolean;
}

export function createKnownSegments(directory: string): KnownSegments {
  const known = new Map<string, { readonly names: string; readonly segments: readonly Segment[] }>();
  const seen = new Map<string, string>();

  return { writers: () => writersOf(directory), of, hasChanged };

  function of(writer: string): readonly Segment[] {
    const names = namesOf(writer).join(' ');
    const before = known.get(writer);
    // A segment without a first line may have got one.
    if (before?.names === names && before.segments.every(({ header }) => header)) return before.segments;
    const segments = segmentsOf(directory, writer);
    known.set(writer, { names, segments });
    return segments;
  }

  function hasChanged(writer: string): boolean {
    const names = namesOf(writer);
    const state = `${names.join(' ')} ${sizeOf(join(directory, writer, names.at(-1) ?? ''))}`;
    if (seen.get(writer) === state) return false;
    seen.set(writer, state);
    return true;
  }

  function namesOf(writer: string): readonly string[] {
    return readdirSync(join(directory, writer))
      .filter((name) => /^\d+\.log(\.gz)?$/.test(name))
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}
