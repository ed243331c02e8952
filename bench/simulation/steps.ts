/** What people and machines ask of a console, step by step. */
import type { Agenda, Happening } from './agenda.ts';
import type { Figures, Work } from './figures.ts';
import type { ConsoleProcess, World } from './world.ts';

export function nothing(): void {}

/** What one piece of work asks of whom, in its order. */
export function createSteps({ micros, installation }: Figures, agenda: Agenda, world: World) {
  const compute = (one: ConsoleProcess, work: Work, then: Happening) =>
    one.processor.serve(micros[work], then);

  /** A statement: a connection for as long as it takes there and back, and the disk where it writes. */
  function statement(
    one: ConsoleProcess,
    [name, work]: readonly [string, number],
    isWrite: boolean,
    then: Happening,
  ): void {
    one.pool.take((giveBack) => {
      agenda.after(micros.network, () => {
        world.ask(name, work, () => {
          const goBack = () =>
            agenda.after(micros.network, () => {
              giveBack();
              then();
            });
          if (isWrite) world.disk.flush(goBack);
          else goBack();
        });
      });
    });
  }

  const read = (one: ConsoleProcess, then: Happening) =>
    statement(one, ['reads', micros.databaseRead], false, then);
  const write = (one: ConsoleProcess, then: Happening) =>
    statement(one, ['writes', micros.databaseWrite], true, then);
  const useUp = (one: ConsoleProcess, then: Happening) =>
    statement(one, ['codes and refresh tokens', micros.databaseUseUp], true, then);

  /** One console tells all others at most so often, of all that it has changed since. */
  function announce(one: ConsoleProcess, changedAt: number): void {
    world.change();
    one.unannounced.push(changedAt);
    if (one.unannounced.length > 1) return;
    agenda.after(installation.noticeMs * 1_000, () => {
      const [first = 0] = one.unannounced;
      one.unannounced = [];
      for (const other of world.consoles) {
        agenda.after(2 * micros.network, () =>
          readChanges(other, () => world.record('revocation known at a console', first)),
        );
      }
    });
  }

  const waitingForRead = new Map<ConsoleProcess, Happening[]>();

  /** One read at a time; who comes meanwhile waits for the one after it. */
  function readChanges(one: ConsoleProcess, then: Happening = nothing): void {
    const waiting = waitingForRead.get(one) ?? [];
    waitingForRead.set(one, waiting);
    waiting.push(then);
    if (one.isReading) {
      one.hasMissed = true;
      return;
    }
    one.isReading = true;
    waitingForRead.set(one, []);
    const rows = world.readChanges(one);
    const work = micros.databaseChangeRead + rows * micros.databaseChangeRow;
    statement(one, ['what has changed', work], false, () => {
      one.processor.serve(micros.consoleChangeRead + rows * micros.consoleChangeRow, () => {
        one.isReading = false;
        for (const done of waiting) done();
        if (!one.hasMissed) return;
        one.hasMissed = false;
        readChanges(one);
      });
    });
  }

  return {
    readChanges,
    refresh(one: ConsoleProcess): void {
      const startedAt = agenda.now();
      const exchange = () => useUp(one, () => world.record('refresh', startedAt));
      read(one, () => compute(one, 'consoleRefresh', exchange));
    },
    /** Counters, account, password, session; then code and tokens. */
    signIn(one: ConsoleProcess): void {
      const startedAt = agenda.now();
      const end = () => world.record('sign-in', startedAt);
      const code = () => compute(one, 'consoleCode', () => write(one, () => useUp(one, end)));
      const session = () => compute(one, 'consoleSignIn', () => write(one, code));
      const hash = () => one.hashing.serve(micros.consoleHash, session);
      write(one, () => read(one, hash));
    },
    signOut(one: ConsoleProcess): void {
      const startedAt = agenda.now();
      const change = () =>
        world.changeClock.take((giveBack) =>
          write(one, () => {
            giveBack();
            announce(one, startedAt);
          }),
        );
      compute(one, 'consoleSignOut', change);
    },
    page: (one: ConsoleProcess) => compute(one, 'consolePage', () => read(one, nothing)),
    /** No read, no write: a client that is known is in memory. */
    token: (one: ConsoleProcess) => compute(one, 'consoleToken', nothing),
  };
}
