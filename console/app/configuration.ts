/** What descriptions of objects are carried out on: the operations, on a store that holds what is changed. */
import { promisify } from 'node:util';
import { gunzip, gzip, type ZlibOptions } from 'node:zlib';
import { once } from '../../platform/async/once.ts';
import type { Audit } from '../../platform/log.ts';
import { loadOperations } from '../admin-api/load-operations.ts';
import type { ApiServices } from '../admin-api/table.ts';
import type { Configuration, OpenedStage } from '../configuration/configuration.ts';
import { createCipher } from '../keys/encryption.ts';
import { storedSecret } from '../keys/stored-secret.ts';
import type { Actor } from '../operations/actor.ts';
import type { AuditLine } from '../operations/call-entry.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import { createAuditOutbox } from './audit-outbox.ts';
import { createServices, type Services } from './services.ts';

type OnStore = (services: Services) => Promise<ApiServices>;

/**
 * Few calls need it, and a store that it has not been asked of has no key for it.
 *
 * @param onStore  what every operation needs, of services on another store
 * @param committed  where what follows from a commit is written
 */
export function createConfigurationOnFirstUse(
  services: Services,
  audit: Audit,
  onStore: OnStore,
  committed: ArtifactStore = services.storage.artifacts,
): Configuration {
  const opened = once(() => createConfigurationOf(services, audit, onStore, committed));
  return {
    plan: async (...given) => (await opened()).plan(...given),
    readPlan: async (...given) => (await opened()).readPlan(...given),
    apply: async (...given) => (await opened()).apply(...given),
    drift: async (...given) => (await opened()).drift(...given),
    schema: async () => (await opened()).schema(),
    exported: async (...given) => (await opened()).exported(...given),
  };
}

async function createConfigurationOf(
  services: Services,
  audit: Audit,
  onStore: OnStore,
  committed: ArtifactStore,
): Promise<Configuration> {
  const [{ createConfiguration }, { createOwnership }, { createStagedStorage }] = await Promise.all([
    import('../configuration/configuration.ts'),
    import('../configuration/ownership.ts'),
    import('../storage/staged/staged-storage.ts'),
  ]);
  const { storage, now, cipher } = services;
  const key = await storedSecret({ registry: storage.registry, cipher }, 'configuration-key');

  const outbox = createAuditOutbox({ artifacts: committed, audit, now });

  async function openStage(actor: Actor, requestId: string): Promise<OpenedStage> {
    const [operations, { runOperation }] = await Promise.all([
      loadOperations(),
      import('../operations/run-operation.ts'),
    ]);
    const staged = createStagedStorage({ ...storage, artifacts: committed }, { checksEach: false, now });
    const own = createServices({ ...services, storage: staged, log: unheard });
    // No description says when a client was used.
    const clientUses = { ...own.clientUses, readOf: async () => () => ({ secretsLastUsedAt: [] }) };
    const apiServices = await onStore({ ...own, clientUses });
    const lines: AuditLine[] = [];
    const asked: Actor = { kind: 'local', id: actor.id, via: 'code', roles: [], scopes: [] };
    return {
      operations,
      ownership: createOwnership({ registry: staged.registry, records: own.accounts }),
      run: (operation, request) =>
        runOperation(operation as (typeof operations)[number], request, asked, {
          services: apiServices,
          permissionsOf: own.roles.permissionsOf,
          now,
          audit: (event, fields) => void lines.push([event, fields]),
          about: { source: 'configuration', requestId },
        }),
      fingerprints: {
        key,
        async read(place) {
          const found = await staged.artifacts.get('ConfigurationSecret', place);
          return found?.payload.fingerprint as string | undefined;
        },
        write: (place, fingerprint) =>
          staged.artifacts.put('ConfigurationSecret', place, { payload: { fingerprint } }),
      },
      checkCommit: () => staged.checkCommit(),
      async commit() {
        const prepared = await outbox.prepareMany(lines);
        await staged.records.change(async ({ putArtifact }) => {
          for (const { artifact, ...name } of prepared.records) putArtifact(name, artifact);
        });
        if (!(await staged.commit())) return false;
        await prepared.say();
        return true;
      },
    };
  }

  const sealed = createCipher(Buffer.from(key, 'base64url'));
  return createConfiguration({
    openStage,
    readOperations: loadOperations,
    kept: {
      async read(name) {
        const found = await storage.artifacts.get('Configuration', name);
        if (!found) return undefined;
        const { text, packed } = found.payload;
        if (packed === undefined) return sealed.open(String(text), name);
        return (await unzipped(Buffer.from(sealed.open(String(packed), name), 'base64'))).toString();
      },
      /** Packed in a thread: it is a twentieth then of what has to be encrypted and written here. */
      async write(name, text, expiresAt) {
        const packed = (await zipped(text, { level: 1 })).toString('base64');
        await storage.artifacts.put('Configuration', name, {
          payload: { packed: sealed.encrypt(packed, name) },
          ...(expiresAt !== undefined && { expiresAt }),
        });
      },
    },
    now,
  });
}

const zipped = promisify<string, ZlibOptions, Buffer>(gzip);
const unzipped = promisify<Buffer, Buffer>(gunzip);

const unheard = { warn() {}, error() {} };
