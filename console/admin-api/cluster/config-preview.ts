/** What a configuration would change at the members: section by section, line by line, beside what they were given from here. */
import { diffLines } from 'diff';
import { parseDocument, stringify } from 'yaml';

export interface ConfigLine {
  readonly change: 'same' | 'added' | 'removed';
  readonly text: string;
}

export interface PreviewedSection {
  readonly sectionName: string;
  /** Empty: the section is one thing. */
  readonly configName: string;
  /** `there`: members have it, and what it says there is not known here. */
  readonly state: 'new' | 'same' | 'different' | 'there';
  readonly lines: readonly ConfigLine[];
}

/** What is there of each by its name. */
const namedSections = new Set(
  `cache cardinality-estimator data-connection durable-executor-service executor-service flake-id-generator list map multimap
  pn-counter queue reliable-topic replicatedmap ringbuffer scheduled-executor-service set topic wan-replication`.split(
    /\s+/,
  ),
);
const mostLines = 2_000;
/** Of texts that have little in common, milliseconds. */
const diffMs = 100;

/**
 * @returns the sections of a configuration, in YAML each, by section and name (`map orders`); undefined for one that is no YAML of
 *   that form, such as XML
 */
export function sectionsOf(config: string): ReadonlyMap<string, string> | undefined {
  const document = parseDocument(config);
  if (document.errors.length > 0) return undefined;
  const root = objectOf(safely(() => document.toJS({ maxAliasCount: 100 })));
  const all = root && Object.keys(root).length === 1 ? objectOf(Object.values(root)[0]) : undefined;
  if (!all) return undefined;
  const sections = Object.entries(all).flatMap(([section, value]): [string, string][] => {
    const named = namedSections.has(section) ? objectOf(value) : undefined;
    if (!named) return [[`${section} `, stringify({ [section]: value })]];
    return Object.entries(named).map(([name, one]) => [
      `${section} ${name}`,
      stringify({ [section]: { [name]: one } }),
    ]);
  });
  return new Map(sections);
}

/** @param known  see `SentConfig` */
export function previewOf(
  sections: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string | null>,
): { readonly sections: readonly PreviewedSection[]; readonly isCut: boolean } {
  let left = mostLines;
  let isCut = false;
  const previewed = [...sections].map(([key, wanted]) => {
    const [, sectionName = '', configName = ''] = /^(\S*) (.*)$/s.exec(key) ?? [];
    const current = known.get(key);
    const all = linesBetween(current ?? '', wanted);
    const lines = all.slice(0, left);
    left -= lines.length;
    if (lines.length < all.length) isCut = true;
    return { sectionName, configName, state: stateOf(current, wanted), lines };
  });
  return { sections: previewed, isCut };
}

function stateOf(current: string | null | undefined, wanted: string): PreviewedSection['state'] {
  if (current === undefined) return 'new';
  if (current === null) return 'there';
  return current === wanted ? 'same' : 'different';
}

function linesBetween(current: string, wanted: string): ConfigLine[] {
  const parts = diffLines(current, wanted, { timeout: diffMs }) ?? [
    { value: current, added: false, removed: true },
    { value: wanted, added: true, removed: false },
  ];
  return parts.flatMap(({ value, added, removed }) => {
    const change = added ? 'added' : removed ? 'removed' : 'same';
    return value
      .replace(/\n$/, '')
      .split('\n')
      .filter((text) => text !== '' || value !== '')
      .map((text) => ({ change, text }) as const);
  });
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}

/** Aliases that multiply are refused by the library. */
function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
