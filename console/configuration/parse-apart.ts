/** Parses files for a console that goes on answering: ten thousand objects in YAML are more than a second's work. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programOf } from '../../platform/installation.ts';
import { type ParsedText, parseText, type TextForm } from './parse-text.ts';

/** Characters that are a matter of milliseconds, or tens of them, whatever they are. */
const largestHere = 8 * 1024;
const largestHeapMb = 1024;
const longestMs = 60_000;

/** As {@link parseText}; a large text in a process of its own. */
export async function parseApart(text: string, form: TextForm): Promise<ParsedText> {
  if (text.length <= largestHere) return parseText(text, form);
  const parsed = await inProcess({ text, form });
  return parsed.json === undefined ? { problem: parsed.problem } : { value: JSON.parse(parsed.json) };
}

export interface ProcessTask {
  readonly text: string;
  readonly form: TextForm;
}

/** What the process answers: text, since a value of thousands of objects takes longer to be read from a message. */
export type ProcessAnswer =
  | { readonly json: string; readonly problem?: undefined }
  | { readonly json?: undefined; readonly problem: string };

function inProcess(task: ProcessTask): Promise<ProcessAnswer> {
  const program = fileURLToPath(programOf('console/configuration/parse-process'));
  const child = fork(program, {
    // The sources run as they are during development.
    execArgv: [
      ...(program.endsWith('.ts') ? ['--import', 'tsx'] : []),
      `--max-old-space-size=${largestHeapMb}`,
    ],
    env: {}, // nothing that is read here comes from there
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  return new Promise<ProcessAnswer>((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as ProcessAnswer)).once('error', reject);
    child.once('exit', () => resolve({ problem: 'takes too much to read' }));
    child.send(task, () => {}); // what cannot be sent has ended
  }).finally(() => child.kill('SIGKILL'));
}
