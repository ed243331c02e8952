/** All settings of a process: found in their layers, checked by the table, judged together. */
import { InvalidValueError } from '../../platform/checks.ts';
import type { Secret } from '../../platform/secret.ts';
import { checkForwarding } from './audit-forwarding.ts';
import { type Found, type Layer, readLayers, type SettingsSources } from './layers.ts';
import { entriesOfTable, nameOf } from './names.ts';
import { validateProxySettings, validateSettings } from './rules.ts';
import type { Known, Setting, SettingKey, SettingValues } from './table.ts';
import { lifeWarning, readTls, type TlsFiles } from './tls-files.ts';

/** Every setting with its checked value; frozen. */
export interface Settings extends SettingValues {
  /** Present: serve HTTPS with these. */
  readonly tls: TlsFiles | undefined;
  /** Sentences for the operator, none of which keeps the console from starting. */
  readonly warnings: readonly string[];
  /** Where each value comes from: a flag, an environment name, `console.yaml` or `default`. */
  readonly origins: Readonly<Record<SettingKey, string>>;
}

/** Settings that cannot be started with; holds every problem, not just the first. Exit code 78. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];

  /** @param problems  one sentence each; none repeats a value, so none gives a secret away */
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** One row for `npx console settings`. */
export interface SettingRow {
  readonly name: string;
  readonly value: string;
  readonly origin: string;
}

/**
 * Reads all settings: command-line flag, environment, `console.yaml`, default, in this order. An
 * empty value counts as unset.
 *
 * @throws {SettingsError} when any of them is unknown, malformed or does not go with the others
 */
export function loadSettings(sources: SettingsSources): Settings {
  const problems: string[] = [];
  const layers = readLayers(sources, problems);
  const { values, origins } = checkAll(layers, sources.isTerminal ?? false, problems);
  const tls = readTls(values, sources.readFile, problems);
  checkForwarding(values, sources.readFile, problems);
  const validate = sources.process === 'proxy' ? validateProxySettings : validateSettings;
  const verdict = validate(values, (key) => origins[key] !== 'unset');
  problems.push(...verdict.problems);
  const warnings = [...verdict.warnings, ...lifeWarning(tls, sources.now ?? Date.now())];
  if (values.strict) {
    problems.push(...warnings.map((warning) => `${warning} (refused because of CONSOLE_STRICT=true)`));
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.freeze({ ...values, tls, origins, warnings: Object.freeze(warnings) });
}

/** Every setting with its value, secrets redacted, and its origin, in the order of the table. */
export function describeSettings(settings: Settings): SettingRow[] {
  return entriesOfTable().map(([key, setting]) => ({
    name: nameOf(setting),
    value: showValue(settings[key]),
    origin: settings.origins[key],
  }));
}

function checkAll(layers: readonly Layer[], isTerminal: boolean, problems: string[]) {
  const values: Partial<Record<SettingKey, unknown>> = {};
  const origins: Partial<Record<SettingKey, string>> = {};
  for (const [key, setting] of entriesOfTable()) {
    const fallback = defaultOf(setting, {
      ...(values as Pick<Known, 'url' | 'applicationAddresses' | 'trustedProxies'>),
      isTerminal,
    });
    const found = firstOf(layers, setting);
    values[key] = found && check(setting, found.text, problems);
    origins[key] = found?.origin ?? (fallback === undefined ? 'unset' : 'default');
    // A refused value is told once; its default lets the checks that build on it go on.
    if (values[key] === undefined && fallback !== undefined) values[key] = setting.check(fallback);
  }
  return { values: values as SettingValues, origins: Object.freeze(origins) as Record<SettingKey, string> };
}

function firstOf(layers: readonly Layer[], setting: Setting<unknown>): Found | undefined {
  for (const layer of layers) {
    const found = layer(setting);
    if (found !== undefined && found.text !== '') return found;
  }
  return undefined;
}

function check(setting: Setting<unknown>, text: string, problems: string[]): unknown {
  try {
    return setting.check(text);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    problems.push(`${nameOf(setting)} ${error.message}`);
    return undefined;
  }
}

function defaultOf(setting: Setting<unknown>, known: Known): string | undefined {
  if (typeof setting.default === 'object') return setting.default.from(known);
  return setting.default;
}

function showValue(value: unknown): string {
  if (value === undefined) return '';
  return Array.isArray(value) ? value.join(', ') : String(value satisfies unknown | Secret);
}
