import { createSerial } from '../../../platform/async/serial.ts';
import type { MemberLog } from '../../log.ts';
import { OperationFailedError } from '../../operation-failed.ts';
import type { JoinConfig, MemberConfig, WanReplicationConfig } from '../config.ts';
import { MemberConfigError } from '../config-error.ts';
import { readConfigFile } from '../read-file.ts';
import { type Addition, publisherEdits } from './additions.ts';
import { readAdditions, writeInto } from './config-tasks.ts';
import { type FileEdit, memberListPath } from './file-edits.ts';
import type { LiveConfig } from './live-config.ts';

/** Changes of the configuration while the member runs (docs/member-surface.md#changes-of-the-cluster), one after the other. */
export interface ConfigChanges {
  /**
   * Reads the configuration file again and adds what is new in it.
   *
   * @throws {OperationFailedError} when there is no file, or it cannot be used
   */
  reload(): Promise<ConfigChange>;
  /**
   * Adds what is new in a configuration that a caller has sent.
   *
   * @param content  YAML or XML
   * @throws {OperationFailedError} when it cannot be used, or not be kept
   */
  update(content: string): Promise<ConfigChange>;
  readonly join: JoinConfig;
  /** @throws {OperationFailedError} when it cannot be kept */
  setMemberList(memberList: readonly string[]): Promise<void>;
  /**
   * Adds the publishers whose id the replication does not have yet.
   *
   * @throws {OperationFailedError} when they cannot be kept: then they do not run either
   */
  addPublishers(replication: WanReplicationConfig): Promise<AddedPublishers>;
  /** Whether changes are written into the configuration file. */
  readonly arePersisted: boolean;
}

/** What became of each entry: added, or there already and left as it is. */
export interface ConfigChange {
  readonly addedConfigs: readonly ConfigName[];
  readonly ignoredConfigs: readonly ConfigName[];
  /** Maps and queues in use for which the configuration has other rules now than those that they were made with. */
  readonly outdated: readonly ConfigName[];
}

export interface ConfigName {
  readonly sectionName: string;
  readonly configName: string;
}

/** Ids, by what became of them. */
export interface AddedPublishers {
  readonly addedPublisherIds: readonly string[];
  readonly ignoredPublisherIds: readonly string[];
}

export interface ConfigChangesDeps {
  readonly config: Pick<MemberConfig, 'source' | 'dynamicConfiguration' | 'limits'>;
  readonly live: LiveConfig;
  readonly structures: {
    readonly maps: { outdated(): readonly string[] };
    readonly queues: { outdated(): readonly string[] };
  };
  readonly log: Pick<MemberLog, 'warn'>;
  readonly replications: {
    has(replicationName: string): boolean;
    /** The ids that would be added. */
    newIn(replication: WanReplicationConfig): readonly string[];
    add(replication: WanReplicationConfig): AddedPublishers;
    /** How many publishers there are, of all replications. */
    readonly publisherCount: number;
  };
}

export function createConfigChanges({
  config,
  live,
  structures,
  log,
  replications,
}: ConfigChangesDeps): ConfigChanges {
  const { source, dynamicConfiguration, limits } = config;
  const arePersisted = dynamicConfiguration.persistenceEnabled;
  const serial = createSerial();
  let waiting = 0;

  /** Two at once could each miss what the other adds. */
  async function serialized<T>(change: () => Promise<T>): Promise<T> {
    if (waiting >= mostWaiting) throw new OperationFailedError('too many changes of the configuration wait');
    waiting += 1;
    return serial(() => asOperation(change)).finally(() => {
      waiting -= 1;
    });
  }

  function isKnown({ sectionName, configName }: Addition): boolean {
    if (sectionName === 'map') return live.maps.has(configName);
    return sectionName === 'queue' ? live.queues.has(configName) : replications.has(configName);
  }

  function apply({ sectionName, configName, config }: Addition): void {
    if (sectionName === 'map') live.maps.add(configName, config);
    else if (sectionName === 'queue') live.queues.add(configName, config);
    else replications.add(config);
  }

  async function add(all: readonly Addition[], persistNew: typeof persist): Promise<ConfigChange> {
    const added = all.filter((addition) => !isKnown(addition));
    const ignored = all.filter((addition) => !added.includes(addition));
    assertFewPublishers(
      added.flatMap((one) => ('publishers' in one.config ? [...one.config.publishers] : [])),
    );
    assertFewStructures(added.filter(({ sectionName }) => sectionName !== 'wan-replication').length);
    await persistNew(added.map(({ edit }) => edit));
    for (const addition of added) apply(addition);
    return {
      addedConfigs: added.map(nameOf),
      ignoredConfigs: ignored.map(nameOf),
      outdated: reportOutdated(),
    };
  }

  function reportOutdated(): readonly ConfigName[] {
    const { maps, queues } = structures;
    const outdated = [
      ...maps.outdated().map((configName) => ({ sectionName: 'map', configName })),
      ...queues.outdated().map((configName) => ({ sectionName: 'queue', configName })),
    ];
    if (outdated.length === 0) return outdated;
    const names = outdated
      .slice(0, mostReported)
      .map(({ configName }) => configName.slice(0, longestReported));
    log.warn(
      { count: outdated.length, names },
      'maps and queues in use keep the rules that they were made with',
    );
    return outdated;
  }

  /** Each name without one of its own is compared with every pattern, and none can be taken away again. */
  function assertFewStructures(more: number): void {
    const configured = live.maps.count + live.queues.count;
    if (more === 0 || configured + more <= limits.structures) return;
    throw new OperationFailedError(
      `limits.structures is ${limits.structures}: ${configured} maps and queues are configured, and ${more} would be added`,
    );
  }

  /** Each has a queue and a connection of its own, and none can be taken away again. */
  function assertFewPublishers(more: readonly unknown[]): void {
    if (more.length === 0 || replications.publisherCount + more.length <= mostPublishers) return;
    throw new OperationFailedError(`at run time WAN publishers are added up to ${mostPublishers}`);
  }

  async function persist(edits: readonly FileEdit[]): Promise<void> {
    if (!arePersisted || edits.length === 0) return;
    if (source === undefined)
      throw new OperationFailedError('nothing can be kept without a configuration file');
    await writeInto(source.file, edits, dynamicConfiguration);
  }

  return {
    arePersisted,
    get join() {
      return live.join;
    },

    reload: () =>
      serialized(async () => {
        if (source === undefined) throw new OperationFailedError('there is no configuration file to reload');
        const additions = await readAdditions(await readConfigFile(source.file), source.file);
        return add(additions, async () => {}); // the file has them already
      }),

    update: (content) =>
      serialized(async () => add(await readAdditions(content, 'the configuration sent'), persist)),

    setMemberList: (memberList) =>
      serialized(async () => {
        await persist([{ path: memberListPath, value: memberList }]);
        live.setMemberList(memberList);
      }),

    addPublishers: (replication) =>
      serialized(async () => {
        const newIds = replications.newIn(replication);
        assertFewPublishers(newIds);
        await persist(publisherEdits(replication, newIds));
        return replications.add(replication);
      }),
  };
}

const mostPublishers = 100;
const mostWaiting = 16;
const mostReported = 20;
const longestReported = 200;

function nameOf({ sectionName, configName }: ConfigName): ConfigName {
  return { sectionName, configName };
}

/** What is wrong with a configuration, or with its file, is the reason why the call is refused. */
async function asOperation<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof MemberConfigError) {
      throw new OperationFailedError(cause.problems.slice(0, 20).join('; '), { cause });
    }
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined || cause instanceof OperationFailedError) throw cause;
    throw new OperationFailedError(`the configuration file cannot be written (${code})`, { cause });
  }
}
