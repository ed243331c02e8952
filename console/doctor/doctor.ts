/** Looks at everything that has to fit together, one after the other, and changes nothing. */

import { startCommand } from '../../platform/installation.ts';
import type { Outbound } from '../http/outbound/outbound.ts';
import type { DatabaseState } from '../storage/shared-store.ts';
import { checkApplication } from './application-checks.ts';
import { checkCertificate } from './certificate.ts';
import { checkClients, type Excess } from './clients-checks.ts';
import { checkFollowedFiles, checkSameFiles, type FollowedFiles } from './configuration-checks.ts';
import { checkConsole } from './console-checks.ts';
import { checkDatabase } from './database-checks.ts';
import { checkDenials, type DeniedCaller } from './denial-checks.ts';
import { about, type Finding } from './finding.ts';
import { checkInternalAddress } from './internal-checks.ts';
import { checkMembers } from './members-checks.ts';
import { createProbe } from './probe.ts';
import { checkSettings, type SettingsChecksDeps } from './settings-checks.ts';
import { type Contents, checkContents, checkStore } from './store-checks.ts';

/** What the doctor needs to know of the settings. */
export interface DoctorSettings extends SettingsChecksDeps {
  readonly audience: string;
  readonly dataDir: string;
  readonly members: readonly string[];
  readonly memberPrefix: string | undefined;
  /** Of the application's client, to ask for a token; not needed with one. */
  readonly clientSecret?: string | undefined;
  /** One that the console has given. */
  readonly token?: string | undefined;
  /** Undefined where there is no application. */
  readonly internalAddress: string | undefined;
}

/** What it works with when the store could be opened. */
export interface OpenedStore extends Excess {
  readonly checkWritable: () => Promise<void>;
  /** Ids of the keys that the key set has to show; empty before the first start. */
  readonly kids: readonly string[];
  /** Absent where the store is in files. */
  readonly database?: DatabaseState | undefined;
  /** Of every record, where that was asked for. */
  readonly contents?: Contents | undefined;
  /** Who is denied the same call over and over, unless it was muted. */
  readonly denials?: readonly DeniedCaller[] | undefined;
  /** Absent where no files are followed. */
  readonly configuration?: FollowedFiles | undefined;
  /** In a sentence: that consoles on the same database have other files. */
  readonly differingFiles?: string | undefined;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly signRequest: () => Promise<string>;
  /** The licence that the application has not acknowledged yet. */
  readonly waitingLicence: { readonly id: string; readonly reason: string | undefined } | undefined;
}

export interface DoctorDeps {
  readonly settings: DoctorSettings;
  /** Or what was found instead of it. */
  readonly store: OpenedStore | Finding;
  readonly clientIds: { readonly application: string; readonly dashboard: string };
  readonly fetch: typeof fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export async function examine(deps: DoctorDeps): Promise<readonly Finding[]> {
  const { settings, store, clientIds, now } = deps;
  const { url, internalAddress, applicationAddresses: addresses, members, clientSecret, token } = settings;
  const probe = createProbe(deps);
  const opened = 'check' in store ? undefined : store;
  const kids = opened && opened.kids.length > 0 ? opened.kids : undefined;

  const own = await checkCertificate(url, {
    owner: settings.hasTls ? 'CONSOLE_TLS_CERT' : 'the proxy in front of the console',
    now,
  });
  const { findings, isThere } = await checkConsole({ probe, url, kids });
  const isConsoleThere = isThere;
  const isAssumed = opened?.unaskedClients.includes(clientIds.dashboard) ?? false;
  return [
    ...checkSettings(settings),
    ...own,
    ...findings,
    ...(await checkApplication({
      probe,
      url,
      addresses,
      isAssumed,
      clientId: clientIds.dashboard,
      isConsoleThere,
    })),
    ...(opened ? checkClients(opened) : []),
    ...checkDenials(opened?.denials ?? []),
    ...(await checkInternal(deps, opened, kids, isAssumed && internalAddress === addresses[0])),
    ...(await checkCertificates(
      [...addresses, ...(internalAddress === undefined ? [] : [internalAddress])],
      now,
    )),
    ...(await checkMembers({
      probe,
      url,
      members,
      memberPrefix: settings.memberPrefix,
      clientSecret,
      token,
      clientId: clientIds.application,
      isConsoleThere,
    })),
    ...(opened ? await checkStore({ dataDir: settings.dataDir, ...opened }) : [store as Finding]),
    ...(opened?.configuration ? checkFollowedFiles(opened.configuration) : []),
    ...(opened?.differingFiles === undefined ? [] : checkSameFiles(opened.differingFiles)),
    ...(opened?.database ? checkDatabase(opened.database) : []),
    ...(opened?.contents ? checkContents(opened.contents, opened.database !== undefined) : []),
  ];
}

async function checkInternal(
  { settings, now }: DoctorDeps,
  store: OpenedStore | undefined,
  kids: readonly string[] | undefined,
  isAssumed: boolean,
): Promise<readonly Finding[]> {
  if (!store) return [];
  const { url, audience, internalAddress: address } = settings;
  if (address === undefined) {
    return [about('application').ok('There is none: SVC_MC_APP_ADDRESSES names no address.')];
  }
  if (!kids)
    return [
      about('internal address').problem(
        'It was not looked at: this store has no keys yet to sign the question with.',
        `Start the console once (${startCommand()}), or name its data directory with --data-dir.`,
      ),
    ];
  const seen = await checkInternalAddress({ ...store, address, isAssumed, url, audience, kids, now });
  return [...seen, ...validateLicence(store)];
}

function validateLicence({ waitingLicence }: OpenedStore): readonly Finding[] {
  if (!waitingLicence) return [];
  const { id, reason } = waitingLicence;
  const why = reason === undefined ? 'it was not sent yet' : `the last try: ${reason}`;
  return [
    about('licence').warning(
      `The application has not acknowledged licence ${id} (${why}).`,
      'Let the console run and see to the internal address; npx console licence status tells.',
    ),
  ];
}

async function checkCertificates(
  addresses: readonly string[],
  now: () => number,
): Promise<readonly Finding[]> {
  const origins = new Set(addresses.map((address) => new URL(address).origin));
  const owner = 'what serves the application';
  const found = await Promise.all([...origins].map((origin) => checkCertificate(origin, { owner, now })));
  return found.flat();
}
