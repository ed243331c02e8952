/** The settings that the doctor judges: of the console that runs, or of this shell. */
import { resolve } from 'node:path';
import type { DoctorSettings } from '../../doctor/doctor.ts';
import { entriesOfTable, flagOf } from '../../settings/names.ts';
import { internalAddressWarning, tlsMissingWarning } from '../../settings/rules.ts';
import type { Settings } from '../../settings/settings.ts';

export interface JudgedSettings extends DoctorSettings {
  readonly tlsKey: string | undefined;
  readonly outboundAllow: readonly string[];
}

/** What the doctor has to know of them; nobody else is told of the secret. */
export function settingsOf(settings: Settings): JudgedSettings {
  const { url, audience, dataDir, members, memberPrefix, host, trustedProxies } = settings;
  const { applicationAddresses, dashboardIssuerUrl, dashboardRequireHttps, outboundAllow, tlsKey } = settings;
  const { applicationInternalAddress: internalAddress } = settings;
  // These have lines of their own, which say more.
  const own = [
    tlsMissingWarning,
    ...(internalAddress === undefined ? [] : [internalAddressWarning(internalAddress)]),
  ];
  return {
    ...{ url, audience, dataDir, members, memberPrefix, host, trustedProxies, applicationAddresses },
    ...{ dashboardIssuerUrl, dashboardRequireHttps, outboundAllow, internalAddress },
    warnings: settings.warnings.filter((warning) => !own.includes(warning)),
    hasTls: settings.tls !== undefined,
    clientSecret: settings.applicationClientSecret?.reveal(),
    tlsKey: tlsKey === undefined ? undefined : resolve(tlsKey),
  };
}

/** Flags of settings that were given; which store it is about is none of them. */
export function namedIn(input: { readonly has: (flag: string) => boolean }): readonly string[] {
  return entriesOfTable()
    .map(([, setting]) => flagOf(setting))
    .filter((flag) => flag !== 'data-dir' && input.has(flag));
}

/** What flags have named in the place of what the console has. */
export function withNamed(
  own: JudgedSettings,
  shell: JudgedSettings,
  named: readonly string[],
): JudgedSettings {
  const keys = entriesOfTable().flatMap(([key, setting]) => (named.includes(flagOf(setting)) ? [key] : []));
  const names = keys.map((key) => (key === 'applicationInternalAddress' ? 'internalAddress' : key));
  const picked = Object.entries(shell).filter(([name]) => names.some((one) => one === name));
  return { ...own, ...Object.fromEntries(picked) };
}
