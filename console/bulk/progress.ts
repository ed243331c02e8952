/** How far an import or export is: a bar at a terminal, elsewhere a line now and then. */

export interface Progress {
  /** @param total  0: not known */
  report(what: string, done: number, total: number, more?: string): void;
  /** Ends the bar. */
  close(): void;
}

export interface ProgressDeps {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  /** Milliseconds that go on evenly. */
  readonly steady: () => number;
}

const everyMs = { terminal: 100, lines: 5000 } as const;
const barWidth = 24;

export function createProgress({ write, isTerminal, steady }: ProgressDeps): Progress {
  let last = steady();
  let isOpen = false;
  /** What has been said to be done. */
  let ended = '';

  return {
    report(what, done, total, more = '') {
      // What is done before a line is due needs none.
      const isEnd = isTerminal && total > 0 && done === total && ended !== what;
      if (isEnd) ended = what;
      if (!isEnd && steady() - last < (isTerminal ? everyMs.terminal : everyMs.lines)) return;
      last = steady();
      const said = `${what}: ${numberOf(done)}${total > 0 ? ` of ${numberOf(total)}` : ''}${more}`;
      if (!isTerminal) {
        write(`${said}\n`);
        return;
      }
      isOpen = true;
      write(`\r\u001b[2K${total > 0 ? `${bar(done / total)} ` : ''}${said}`);
    },
    close() {
      if (isOpen) write('\r\u001b[2K');
      isOpen = false;
    },
  };
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * barWidth);
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}]`;
}

function numberOf(value: number): string {
  return value.toLocaleString('en-US');
}
