/** Consoles on one database, and how often people and machines do what there. */
import type { Random } from '../fuzz/random.ts';
import { type Agenda, createAgenda, type Happening } from './agenda.ts';
import type { Figures } from './figures.ts';
import { createSteps, nothing } from './steps.ts';
import { createWorld, type Outcome, second, type World } from './world.ts';

export interface Scale {
  /** Sessions and clients, times those of the figures. */
  readonly load: number;
  readonly consoles: number;
  readonly warmSeconds: number;
  readonly seconds: number;
}

/** Runs it once. Deterministic for the same random numbers. */
export function simulate(figures: Figures, scale: Scale, random: Random): Outcome {
  const agenda = createAgenda();
  const world = createWorld(figures, scale.consoles, agenda);
  startWork(figures, scale, agenda, world, random);
  agenda.runUntil(scale.warmSeconds * second);
  world.forget();
  const events = agenda.runUntil((scale.warmSeconds + scale.seconds) * second);
  return world.outcome(scale.seconds, events);
}

/** All that is done again and again, each at moments of its own. */
function startWork(figures: Figures, scale: Scale, agenda: Agenda, world: World, random: Random): void {
  const { habits, installation, micros } = figures;
  const sessions = installation.sessions * scale.load;
  const clients = installation.clients * scale.load;
  const steps = createSteps(figures, agenda, world);
  const anyConsole = () => random.of(world.consoles);

  again(sessions / habits.accessTokenSeconds, () => steps.refresh(anyConsole()));
  again(sessions / habits.sessionSeconds, () => steps.signIn(anyConsole()));
  again(sessions / habits.sessionSeconds, () => steps.signOut(anyConsole()));
  again(sessions / habits.pageSeconds, () => steps.page(anyConsole()));
  again(clients / habits.accessTokenSeconds, () => steps.token(anyConsole()));
  again((clients * habits.callsPerClientSecond) / installation.proxies, () => {
    const startedAt = agenda.now();
    world.proxy.serve(micros.proxyCall, () => world.record('call to a member, at one proxy', startedAt));
  });
  for (const each of world.consoles) {
    again(installation.pollsPerSecond, () => steps.readChanges(each));
    // The audit goes to the database in batches, once a second.
    const perConsole = () => auditRowsPerSecond(figures, scale) / world.consoles.length;
    again(1, () =>
      world.ask('audit', perConsole() * micros.databaseAuditRow, () => world.disk.flush(nothing)),
    );
  }

  /** At so many random moments a second. */
  function again(perSecond: number, happens: Happening): void {
    const gap = () => (-Math.log(1 - random.below(2 ** 31) / 2 ** 31) * second) / perSecond;
    const next = () => {
      happens();
      agenda.after(gap(), next);
    };
    agenda.after(gap(), next);
  }
}

/** Lines of the audit of a second: sign-ins with their code, sign-outs, refreshes, tokens, and calls that write. */
export function auditRowsPerSecond({ habits, installation }: Figures, { load }: Scale): number {
  const sessions = installation.sessions * load;
  const clients = installation.clients * load;
  const ofPeople = (3 * sessions) / habits.sessionSeconds + sessions / habits.accessTokenSeconds;
  const ofMachines = clients / habits.accessTokenSeconds;
  return ofPeople + ofMachines + clients * habits.callsPerClientSecond * habits.writesOfCalls;
}
