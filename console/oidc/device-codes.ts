/**
 * Device codes in the store (RFC 8628 §3.2). What waits is kept by its user code, which opens nothing by itself; the device code, which
 * is worth tokens, leads to it by its digest alone.
 */
import type { Adapter } from 'oidc-provider';
import type { ArtifactStore } from '../storage/storage.ts';
import type { Exchanges } from './exchanges.ts';

export interface DeviceCodesDeps {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put'>;
  readonly exchanges: Pick<Exchanges, 'current'>;
}

/** By the device code's digest: the user code. */
const kind = 'DeviceCodeName';
/** What the pages know a waiting code by, which never see its device code. */
const pageHandle = 'page:';

/** @param byUserCode  keeps artifacts of the kind `DeviceCode` */
export function createDeviceCodes(byUserCode: Adapter, { artifacts, exchanges }: DeviceCodesDeps): Adapter {
  return {
    ...byUserCode,
    async upsert(id, payload, ttl) {
      const { userCode = '', exp } = payload;
      if (!id.startsWith(pageHandle)) {
        await artifacts.put(kind, id, {
          payload: { userCode },
          ...(exp === undefined ? {} : { expiresAt: exp }),
        });
      }
      await byUserCode.upsert(userCode, payload, ttl);
    },
    async find(id) {
      const userCode = await userCodeOf(id);
      const found = userCode === undefined ? undefined : await byUserCode.find(userCode);
      return found && { ...found, jti: id };
    },
    async findByUserCode(userCode) {
      const found = await byUserCode.find(userCode);
      return found && { ...found, jti: pageHandle + userCode };
    },
    async destroy(id) {
      const userCode = await userCodeOf(id);
      if (userCode !== undefined) await byUserCode.destroy(userCode);
    },
  };

  async function userCodeOf(id: string): Promise<string | undefined> {
    // Whoever asks for tokens has to know the device code.
    if (id.startsWith(pageHandle)) return exchanges.current() ? undefined : id.slice(pageHandle.length);
    const name = await artifacts.get(kind, id);
    return name && String(name.payload.userCode);
  }
}
