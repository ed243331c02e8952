/** The figures of the simulation, each with where it is from: `figures.json`. */
import { readFileSync } from 'node:fs';

type Numbers<Names extends string> = Readonly<Record<Names, number>>;

export interface Figures {
  /** What one piece of work takes, microseconds. */
  readonly micros: Numbers<Work>;
  readonly installation: Numbers<Part>;
  readonly habits: Numbers<Habit>;
  readonly goals: Numbers<Goal>;
  /** Names of those that nobody has measured. */
  readonly assumed: readonly string[];
}

export type Work =
  | `console${'Refresh' | 'SignIn' | 'Hash' | 'Code' | 'Page' | 'SignOut' | 'Token' | 'ChangeRow' | 'ChangeRead'}`
  | `database${'Read' | 'Write' | 'UseUp' | 'ChangeRead' | 'ChangeRow' | 'AuditRow' | 'Flush'}`
  | 'proxyCall'
  | 'network';
type Part =
  | 'consoles'
  | 'clients'
  | 'sessions'
  | 'hashThreads'
  | 'poolPerConsole'
  | 'connectionsBesidePool'
  | 'databaseProcessors'
  | 'databaseConnections'
  | 'proxies'
  | 'pollsPerSecond'
  | 'noticeMs'
  | 'auditRowBytes';
type Habit =
  | 'accessTokenSeconds'
  | 'sessionSeconds'
  | 'pageSeconds'
  | 'callsPerClientSecond'
  | 'writesOfCalls';
type Goal = 'refreshP99Ms' | 'signInP99Ms' | 'revocationP99Ms' | 'busiest';

interface Figure {
  readonly value: number;
  readonly source: string;
  readonly isMeasured?: boolean;
}

type Group = Readonly<Record<string, Figure>>;

/**
 * @param changed  `name=value`, in place of what the file says
 * @throws {Error} when a figure is no number above 0, has no source, or is unknown
 */
export function readFigures(
  changed: readonly string[] = [],
  file = new URL('figures.json', import.meta.url),
): Figures {
  const { about: _about, ...written } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Group>;
  for (const change of changed) {
    const [name = '', value] = change.split('=');
    const group = Object.values(written).find((one) => Object.hasOwn(one, name));
    if (!group) throw new Error(`figures.json has no ${name}`);
    Object.assign(group, { [name]: { ...group[name], value: Number(value) } });
  }
  const assumed = Object.entries(written.microseconds!).flatMap(([name, { isMeasured }]) =>
    isMeasured ? [] : [name],
  );
  return {
    micros: numbersOf<Work>(written.microseconds!),
    installation: numbersOf<Part>(written.installation!),
    habits: numbersOf<Habit>(written.habits!),
    goals: numbersOf<Goal>(written.goals!),
    assumed,
  };
}

function numbersOf<Names extends string>(group: Group): Numbers<Names> {
  const entries = Object.entries(group).map(([name, { value, source }]) => {
    if (!(value > 0) || !source) throw new Error(`figures.json: ${name} needs a value above 0 and a source`);
    return [name, value] as const;
  });
  return Object.fromEntries(entries) as Numbers<Names>;
}
