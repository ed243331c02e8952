/** What several features of the console need: made once, handed to each. */
import type { IncomingMessage } from 'node:http';
import { type BearerCheck, type Caller, createBearerCheck } from '../../access-tokens/bearer.ts';
import { createCallerCheck } from '../../access-tokens/caller-check.ts';
import { proofAlgs } from '../../access-tokens/dpop/algorithms.ts';
import { createProofCheck, type ProofMemory } from '../../access-tokens/dpop/proof.ts';
import type { TokenIdentity } from '../../access-tokens/verify-token.ts';
import type { Faults } from '../../platform/faults.ts';
import type { Audit, Logger } from '../../platform/log.ts';
import type { CallerCheck } from '../http/caller-check.ts';
import { createClientAddress } from '../http/client-address.ts';
import { type About, requestIdOf } from '../http/request-id.ts';
import type { HeldByCallers } from '../metrics/call-metrics.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import type { AuditOutbox } from '../operations/call-entry.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { CheckProof } from '../tokens/dpop-binding.ts';
import { createAuditOutbox } from './audit-outbox.ts';
import { directoryStateOf } from './directory-state.ts';
import type { Services } from './services.ts';
import type { SharedMemories } from './shared-memories.ts';

/** What the features of this console are made from; each names what it needs of it. */
export type Parts = Services & Shared;

interface Shared {
  readonly log: Logger;
  readonly audit: Audit;
  readonly auditOutbox: AuditOutbox;
  readonly metrics: Metrics;
  /** Takes tokens for the members. */
  readonly bearer: BearerCheck;
  /** Takes tokens for the admin API. */
  readonly apiBearer: BearerCheck;
  readonly apiCallers: CallerCheck<Caller>;
  /** Takes tokens for either, at addresses that tell about both, or about the token itself. */
  readonly eitherBearer: BearerCheck;
  readonly eitherCallers: CallerCheck<Caller>;
  readonly tokenUses: SharedMemories['tokenUses'];
  readonly assertions: SharedMemories['assertions'];
  readonly secretFailures: SharedMemories['secretFailures'];
  readonly runningCalls: SharedMemories['runningCalls'];
  readonly entryMemories: SharedMemories['entryMemories'];
  readonly addressOf: (req: IncomingMessage) => string;
  readonly about: About;
  /** The proof of a token request. */
  readonly checkProof: CheckProof;
  /** Signatures that a DPoP proof may have. */
  readonly proofAlgs: typeof proofAlgs;
  /** Of the link that this start prints while there is no user. */
  readonly setupToken: string;
  readonly telemetry: Telemetry | undefined;
}

export interface PartsDeps {
  readonly services: Services;
  readonly log: Logger;
  readonly audit: Audit;
  readonly faults: Faults;
  /** What callers hold of the process. */
  readonly overload: HeldByCallers;
  readonly memories: SharedMemories;
  readonly setupToken: string;
  readonly telemetry?: Telemetry | undefined;
}

export async function createParts(given: PartsDeps): Promise<Parts> {
  const { services, log, audit, faults, overload, memories, telemetry } = given;
  const { settings, resources, users, clients, keys, revocations, now } = services;
  const said = telemetry?.audited(audit) ?? audit;
  const addressOf = createClientAddress({ trustedProxies: settings.trustedProxies });
  await revocations.load();
  const { tokenUses, secretFailures } = memories;
  const deps = {
    proofs: createProofCheck({ origin: settings.url, now, memory: memories.proofs }),
    issuer: settings.url,
    findKey: ({ kid }: { readonly kid: string }) => keys.find(kid)?.publicKey,
    isRevoked(token: TokenIdentity) {
      tokenUses.record(token.jti);
      return revocations.isRevoked(token);
    },
    now,
  };
  const bearer = createBearerCheck({ ...deps, audience: resources.members });
  const apiBearer = createBearerCheck({ ...deps, audience: resources.api });
  const eitherBearer = createBearerCheck({ ...deps, audience: [resources.members, resources.api] });
  const metrics = createMetrics({
    countUsers: users.count,
    countClients: clients.count,
    countVoids: revocations.countVoids,
    ...(settings.configDir !== undefined && {
      countRejectedConfiguration: async () =>
        (await directoryStateOf(services.storage).read())?.state === 'refused' ? 1 : 0,
    }),
    watchDatabase: services.storage.watch,
    faults,
    held: overload,
  });
  return {
    ...services,
    log,
    audit: said,
    auditOutbox: createAuditOutbox({ ...services.storage, audit: said, now }),
    metrics,
    bearer,
    apiBearer,
    apiCallers: createCallerCheck(apiBearer),
    eitherBearer,
    eitherCallers: createCallerCheck(eitherBearer),
    tokenUses,
    secretFailures,
    assertions: memories.assertions,
    runningCalls: memories.runningCalls,
    entryMemories: memories.entryMemories,
    addressOf,
    about: ({ req }) => ({ source: addressOf(req), requestId: requestIdOf(req) }),
    checkProof: createTokenProofCheck(settings.url, now, memories.tokenProofs),
    proofAlgs,
    setupToken: given.setupToken,
    telemetry,
  };
}

function createTokenProofCheck(origin: string, now: () => number, memory: ProofMemory): CheckProof {
  const proofs = createProofCheck({ origin, now, memory });
  return async (req, clientId) => {
    const proof = proofs.verify(req);
    await proofs.useOnce(proof, clientId);
    return proof.thumbprint;
  };
}
