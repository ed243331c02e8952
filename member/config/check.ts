import type { z } from 'zod';
import { MemberConfigError } from './config-error.ts';
import { type MemberSection, memberSection } from './config-schema.ts';
import { setForeignKeysAside } from './foreign-keys.ts';
import type { Environment } from './override-names.ts';
import { applyOverrides } from './overrides.ts';
import { type Finding, isObject, type Path, pathText, type SourceTree } from './source-tree.ts';

export interface CheckOptions {
  /** What the messages call the source: a path, or what a program calls. */
  readonly file: string;
  /** Whose overrides are applied. */
  readonly environment: Environment;
}

export interface CheckedSection {
  readonly section: MemberSection;
  readonly notices: readonly string[];
}

/**
 * Checks a configuration, whatever its format was.
 *
 * @throws {MemberConfigError} with every problem: of a file in the order of the lines as
 *   `<file>:<line>: <path>: <problem>`, then those of the environment
 */
export function checkTree(tree: SourceTree, { file, environment }: CheckOptions): CheckedSection {
  const { name, found: upstream } = sectionName(tree.root);
  const raw = isObject(tree.root) ? tree.root[name] : undefined;
  const { section: own, notices, rejections } = setForeignKeysAside(raw ?? {});
  const { section, origins, problems } = applyOverrides(own, environment);

  const checked = memberSection.safeParse(section);
  const wrong = checked.success ? [] : checked.error.issues.flatMap(eachUnknownKey);
  const inside = [...rejections, ...wrong].map(({ path, message }) => ({ path: [name, ...path], message }));

  function describe({ path, message }: Finding): { line: number; text: string } {
    const origin = origins.get(path.slice(1).join('.'));
    if (origin !== undefined) return { line: Infinity, text: `${origin}: ${message}` };
    const line = tree.lineOf(path);
    const where = line === undefined ? file : `${file}:${line}`;
    return { line: line ?? 0, text: `${where}: ${pathText(path) || 'the file'}: ${message}` };
  }
  const findings = [...upstream, ...inside, ...prototypeKeys(tree.root)]
    .slice(0, mostFindings)
    .map(describe)
    .sort((a, b) => a.line - b.line);
  const all = [...findings.map(({ text }) => text), ...problems];
  if (!checked.success || all.length > 0) throw new MemberConfigError(all);
  return {
    section: checked.data,
    notices: notices.map(({ path, message }) => describe({ path: [name, ...path], message }).text),
  };
}

/** Who reads them mends the first ones first; to find the line of each takes a look at all keys. */
const mostFindings = 200;

/** Objects have a member of this name already: the schema leaves it out without a word. */
function prototypeKeys(value: unknown, path: Path = []): Finding[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '__proto__'
      ? [{ path: [...path, key], message: 'no name that can be configured' }]
      : prototypeKeys(inner, [...path, key]),
  );
}

/** One top-level key, `svc` or the real engine's `hazelcast`; a file with nothing in it is an empty section. */
function sectionName(root: unknown): { name: string; found: readonly Finding[] } {
  if (root === null || root === undefined) return { name: 'svc', found: [] };
  if (!isObject(root)) return { name: 'svc', found: [{ path: [], message: 'expected the key svc' }] };
  const names = Object.keys(root).filter((key) => sectionNames.includes(key));
  const [name = 'svc', second] = names;
  const unknown = Object.keys(root).filter((key) => !sectionNames.includes(key));
  const found = unknown.map((key) => ({ path: [key], message: 'unknown key; everything is under svc' }));
  if (second === undefined) return { name, found };
  const twice = { path: [second], message: 'svc and hazelcast are two names of one section: keep one' };
  return { name, found: [...found, twice] };
}

const sectionNames = ['svc', 'hazelcast'];

/** Names each unknown key by its own path and line; the schema reports them by their parent. */
function eachUnknownKey(issue: z.core.$ZodIssue): Finding[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'unknown key' }));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path, message }));
  }
  return [{ path, message: issue.message.replace(/^Invalid (?:input|option): /, '') }];
}
