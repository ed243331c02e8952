import type { InspectedClients } from '../../clients/client-excess.ts';
import type { FollowedFiles } from '../../doctor/configuration-checks.ts';
import type { DeniedCaller } from '../../doctor/denial-checks.ts';
import type { DatabaseState } from '../../storage/shared-store.ts';
import type { StoreCheck } from '../../storage/storage.ts';
import type { JudgedSettings } from '../doctor/judged-settings.ts';

/** What only who has the store open can tell. */
export interface StoreKnowledge extends InspectedClients {
  /** Ids of the keys that the key set has to show. */
  readonly kids: readonly string[];
  /** A signed question for the application; absent while there are no keys. */
  readonly request?: string;
  readonly waitingLicence?: { readonly id: string; readonly reason?: string };
  /** Who is denied the same call over and over. */
  readonly denials?: readonly DeniedCaller[];
  /** Files of configuration that are followed, if some are. */
  readonly configuration?: FollowedFiles;
  /** In a sentence: that consoles on the same database have other files. */
  readonly differingFiles?: string;
  /** What a look at every record has found, if it was asked for. */
  readonly contents?: StoreCheck;
  /** Of a store in one. */
  readonly database?: DatabaseState;
  /** Why the store cannot be written, if it cannot. */
  readonly unwritable?: { readonly reason: string; readonly state?: string };
}

/** The same of a console that runs, with what it runs with. */
export interface ConsoleKnowledge extends StoreKnowledge {
  /** The secret of its client is not told: in its place comes a token. */
  readonly settings: Omit<JudgedSettings, 'clientSecret'>;
  readonly dataDir: string;
  readonly pid: number;
}
