import { readFile, stat } from 'node:fs/promises';
import { MemberConfigError } from './config-error.ts';

/** More than this is no configuration (the real engine's example of everything just fits); checked first. */
export const largestConfigBytes = 256 * 1024;

/** @throws {MemberConfigError} for a file that cannot be read or is larger than any configuration */
export async function readConfigFile(path: string): Promise<Buffer> {
  const invalid = (reason: string) => new MemberConfigError([`MEMBER_CONFIG: ${path} ${reason}`]);
  try {
    const about = await stat(path);
    if (!about.isFile()) throw invalid('is no file');
    if (about.size > largestConfigBytes) throw invalid(`is larger than ${largestConfigBytes} bytes`);
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof MemberConfigError) throw cause;
    throw invalid(`cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown reason'})`);
  }
}
