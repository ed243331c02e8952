/** Files of configuration that the console follows: whether what they say is in force. */
import { about, type Finding } from './finding.ts';

/** How it went when they were read last. */
export interface FollowedFiles {
  /** The directory, `CONSOLE_CONFIG_DIR`. */
  readonly path: string;
  /** Undefined: no console has read them yet. */
  readonly state?: 'applied' | 'refused' | undefined;
  readonly problem?: string | null | undefined;
}

/** Of several consoles: whose files are in force, and whose are others. */
export function checkSameFiles(difference: string): readonly Finding[] {
  return [
    say.warning(
      difference,
      'Give all consoles the same files: those of the one that leads are applied, and after it those of the next.',
    ),
  ];
}

const say = about('configuration');

export function checkFollowedFiles({ path, state, problem }: FollowedFiles): readonly Finding[] {
  if (state === 'applied') return [say.ok(`The files of ${path} (CONSOLE_CONFIG_DIR) are in force.`)];
  if (state === undefined) {
    return [
      say.warning(`No console has read the files of ${path} (CONSOLE_CONFIG_DIR) yet.`, 'Start the console.'),
    ];
  }
  const why = problem ? `: ${problem}` : '';
  return [
    say.problem(
      `The files of ${path} (CONSOLE_CONFIG_DIR) are rejected, and what was in force before stays${why}`,
      'Mend them; npx console config plan says what they would change. The console reads them again by itself.',
    ),
  ];
}
