/** The configuration tool as a process: arguments → one command → exit code. */
import '../platform/no-prototype-access.ts';
import '../http/strict-tls.ts';
import { runCommandLine } from './command-line.ts';

// Whoever reads may stop before the end, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await runCommandLine(process.argv.slice(2), process);
