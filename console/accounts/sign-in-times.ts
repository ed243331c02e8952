import type { ArtifactStore } from '../storage/storage.ts';

/** When an account signed in, for its owner to recognise or to wonder about. */
export interface SignInTimes {
  /** @param at  epoch seconds */
  record(accountId: string, at: number): Promise<void>;
  /** The newest sign-in before `at`. @returns epoch seconds */
  before(accountId: string, at: number): Promise<number | undefined>;
}

const kind = 'LastLogin';
/** Several, because several sessions ask what was before theirs. */
const mostTimes = 20;
const ttlSeconds = 400 * 86_400;

export function createSignInTimes({ artifacts }: { readonly artifacts: ArtifactStore }): SignInTimes {
  async function read(accountId: string): Promise<readonly number[]> {
    const artifact = await artifacts.get(kind, accountId);
    return (artifact?.payload.times ?? []) as readonly number[];
  }

  return {
    async record(accountId, at) {
      const times = [at, ...(await read(accountId))].slice(0, mostTimes);
      await artifacts.put(kind, accountId, { payload: { times }, expiresAt: at + ttlSeconds, accountId });
    },
    async before(accountId, at) {
      return (await read(accountId)).find((time) => time < at);
    },
  };
}
