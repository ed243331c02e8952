/** Check-points that were kept elsewhere: lines of the log, lines of the files, or lines as they were forwarded. */
import { prefixBytes } from '../chain.ts';
import { type Checkpoint, checkpointEvent, readCheckpoint } from '../checkpoint.ts';

/** @param text  lines, of which those that are no check-points are passed over */
export function readAnchors(text: string): readonly Checkpoint[] {
  return text.split('\n').flatMap((line) => {
    if (!line.includes(checkpointEvent)) return [];
    const found = readCheckpoint(line) ?? ofStored(line) ?? ofLog(line);
    return found ? [found] : [];
  });
}

function ofStored(line: string): Checkpoint | undefined {
  return line[prefixBytes - 1] === ' ' ? readCheckpoint(line.slice(prefixBytes)) : undefined;
}

function ofLog(line: string): Checkpoint | undefined {
  try {
    const { checkpoint } = JSON.parse(line.slice(line.indexOf('{')));
    return ofStored(String(checkpoint));
  } catch {
    return undefined; // no JSON
  }
}
