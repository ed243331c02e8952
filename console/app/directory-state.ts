/** How it went when the directory of configuration was read last. */
import type { DirectoryState } from '../configuration/directory/directory.ts';
import type { Storage } from '../storage/storage.ts';

/** It has no secrets, and every process reads it in the store. */
export function directoryStateOf({ artifacts }: Pick<Storage, 'artifacts'>) {
  return {
    async read(): Promise<DirectoryState | undefined> {
      const found = await artifacts.get('Configuration', 'directory');
      return found?.payload.state as DirectoryState | undefined;
    },
    write: (state: DirectoryState) => artifacts.put('Configuration', 'directory', { payload: { state } }),
  };
}
