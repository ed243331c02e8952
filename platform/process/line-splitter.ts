import type { Readable, Writable } from 'node:stream';

/** Passes on whole lines only, so that those of several writers do not run into each other. */
export function splitLines(from: Readable, to: Writable): void {
  let rest = '';
  from.setEncoding('utf8');
  from.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) {
      rest += text;
      return;
    }
    const isTaken = to.write(rest + text.slice(0, end));
    rest = text.slice(end);
    if (isTaken) return;
    from.pause();
    to.once('drain', () => from.resume());
  });
  from.once('end', () => {
    if (rest !== '') to.write(`${rest}\n`);
  });
}
