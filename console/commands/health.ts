/** `console health`: what `/ready` says, for whoever watches a process by a command: a container, a script. */
import { type Command, CommandError } from './runner/command.ts';

export const healthCommand: Command = {
  name: 'health',
  asksRunning: true,
  summary: 'Says whether the console runs and can be asked, as /ready does; exit code 1 when not.',
  async run(_input, { isReady }) {
    if (!isReady)
      throw new CommandError(
        'no_console',
        'No console runs on this data directory. Start it, or name another one with --data-dir.',
      );
    const ready = await isReady();
    const text = ready ? 'The console is ready.' : 'The console runs and is not ready: its log says why.';
    return { text, json: { ready }, hasFailed: !ready };
  },
};
