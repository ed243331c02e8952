import type { ArtifactStore } from '../storage/storage.ts';

/** When an account signed in, for its owner to recognise or to wonder about. */
export type SignInTimes = ReturnType<typeof createSignInTimes>;

const kind = 'LastLogin';
/** Several, because several sessions ask what was before theirs. */
const mostTimes = 20;
const ttlSeconds = 400 * 86_400;

export function createSignInTimes({ artifacts }: { readonly artifacts: ArtifactStore }) {
  async function read(accountId: string): Promise<readonly number[]> {
    const artifact = await artifacts.get(kind, accountId);
    return (artifact?.payload.times ?? []) as readonly number[];
  }

  return {
    /** @param at  epoch seconds */
    async record(accountId: string, at: number) {
      const times = [at, ...(await read(accountId))].slice(0, mostTimes);
      await artifacts.put(kind, accountId, { payload: { times }, expiresAt: at + ttlSeconds, accountId });
    },
    /** The newest sign-in. @returns epoch seconds */
    async last(accountId: string): Promise<number | undefined> {
      return (await read(accountId)).at(0);
    },
    /** The newest sign-in before `at`. @returns epoch seconds */
    async before(accountId: string, at: number): Promise<number | undefined> {
      return (await read(accountId)).find((time) => time < at);
    },
  };
}
