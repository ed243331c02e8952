import { mkdirSync } from 'node:fs';

/** What a member keeps is for its own user alone, whatever the umask is and the directories above allow (S79). */
export const privateDirectory = 0o700;
export const privateFile = 0o600;

/** Directories above it that are not there are made as private. */
export function makePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: privateDirectory });
}
