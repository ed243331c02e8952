/**
 * What has become of the licence at each address that it was sent to. Durable: a restart neither forgets
 * who still has to get it nor sends it again to who has it.
 */
import type { ArtifactStore } from '../storage/storage.ts';
import type { Licences } from './licences.ts';

export interface Delivery {
  /** `svc.mc.app.internalAddress` as it was then. */
  readonly address: string;
  readonly licenceId: string;
  /** Which setting of the licence it was. */
  readonly version: string;
  /** Since it was last acknowledged, and with the one that was. */
  readonly tries: number;
  /** Epoch milliseconds of the last time that the application said it has it. */
  readonly acknowledgedAt?: number;
  /** Whether it keeps this one; otherwise it has one that was signed later. */
  readonly isKept?: boolean;
  /** Why the last try was in vain. */
  readonly reason?: string;
  /** Epoch milliseconds before which it is not sent again. */
  readonly dueAt: number;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

export interface DeliveriesDeps {
  readonly artifacts: ArtifactStore;
  readonly licences: Pick<Licences, 'current'>;
  /** `svc.mc.app.internalAddress`, without a trailing slash; undefined while there is no application. */
  readonly address: () => string | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const kind = 'LicenceDelivery';
const ttlSeconds = 30 * 86_400;
const mostListed = 1000;

export function createDeliveries({ artifacts, licences, address, now }: DeliveriesDeps) {
  return {
    /** The current licence to the current address, also when it is not due yet; nothing without a licence. */
    current,
    /** The same to this address, when it is to be sent now. */
    async due(address: string): Promise<Delivery | undefined> {
      const delivery = await current();
      return delivery?.address === address && delivery.dueAt <= now() ? delivery : undefined;
    },
    record: (delivery: Delivery) =>
      artifacts.put(kind, delivery.address, {
        payload: { ...delivery },
        expiresAt: Math.floor(now() / 1000) + ttlSeconds,
      }),
    /** To every address of the last 30 days, the current one first. */
    async all(): Promise<readonly Delivery[]> {
      const [newest, listed] = await Promise.all([current(), artifacts.list(kind, mostListed)]);
      const earlier = listed
        .map(({ artifact }) => artifact.payload as unknown as Delivery)
        .filter((delivery) => delivery.address !== newest?.address)
        .sort((a, b) => a.address.localeCompare(b.address));
      return newest ? [newest, ...earlier] : earlier;
    },
    /** When there is no licence any more. */
    async forget() {
      const listed = await artifacts.list(kind, mostListed);
      await Promise.all(listed.map(({ key }) => artifacts.removeByKey(kind, key)));
    },
  };

  async function current(): Promise<Delivery | undefined> {
    const licence = licences.current();
    const to = address();
    if (!licence || to === undefined) return undefined;
    const { id: licenceId, version } = licence;
    const known = (await artifacts.get(kind, to))?.payload as Delivery | undefined;
    if (known?.version === version) return known;
    return { address: to, licenceId, version, tries: 0, dueAt: 0 };
  }
}
