/** Files of configuration: YAML or JSON, with secrets in files beside them or in the environment of whoever reads them. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { createPauses } from '../../platform/async/pauses.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import { isReference } from './described-secrets.ts';
import type { ConfigurationDocument } from './document.ts';
import { objectKinds } from './object-kinds.ts';
import { type ParsedText, parseText, type TextForm } from './parse-text.ts';

export interface ReadOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Secrets are read from within this directory alone; undefined: from wherever a file says. */
  readonly within?: string;
  /** By default at once, whoever else waits. */
  readonly parse?: (text: string, form: TextForm) => Promise<ParsedText>;
}

/** Bytes. */
const mostBytes = 16 * 1024 ** 2;
const mostSecretBytes = 64 * 1024;
/** More than any description needs. */
const deepest = 32;

/**
 * One description, of all files together.
 *
 * @throws {ProblemError} `invalid_request`, which says where and repeats no secret
 */
export async function readConfiguration(
  files: readonly string[],
  options: ReadOptions,
): Promise<ConfigurationDocument> {
  const documents: ConfigurationDocument[] = [];
  for (const file of files) documents.push(await readOne(file, options));
  return documents.reduce(joined);
}

async function readOne(file: string, options: ReadOptions): Promise<ConfigurationDocument> {
  const text = await readText(file, mostBytes);
  const { parse = parseText } = options;
  const parsed = await parse(text, file.endsWith('.json') ? 'json' : 'yaml');
  if (parsed.problem !== undefined) throw unreadable(file, parsed.problem);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unreadable(file, 'is not a description: it begins with version and source');
  }
  if (Object.hasOwn(value, 'settings')) {
    throw unreadable(file, 'has settings, which stand in console.yaml or the environment of a console');
  }
  return (await withSecrets(value, file, options)) as unknown as ConfigurationDocument;
}

/** Each `file` and `env` becomes the value that is found there. */
async function withSecrets(value: object, file: string, { env, within }: ReadOptions): Promise<unknown> {
  const pause = createPauses();

  async function members(of: object, depth: number): Promise<object> {
    if (depth > deepest) throw unreadable(file, 'is nested too deeply');
    const entries: (readonly [string, unknown])[] = [];
    for (const [name, member] of Object.entries(of)) {
      await pause();
      const isPlain = typeof member !== 'object' || member === null;
      entries.push([name, isPlain ? member : await found(member, depth)]);
    }
    return Array.isArray(of) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
  }

  async function found(member: object, depth: number): Promise<unknown> {
    if (!isReference(member)) return members(member, depth + 1);
    if ('value' in member) throw unreadable(file, 'has a secret in it: give it by file or env');
    if ('file' in member) return { value: await readSecret(member.file, file, within) };
    const secret = env[member.env];
    if (secret === undefined || secret === '') {
      throw unreadable(file, `names ${member.env}, which is not set in the environment`);
    }
    return { value: secret };
  }

  return members(value, 0);
}

async function readSecret(path: string, file: string, within: string | undefined): Promise<string> {
  const place = resolve(dirname(file), path);
  if (within !== undefined) {
    const inside = relative(await realpath(within), await realpath(place).catch(() => place));
    if (inside.startsWith('..') || isAbsolute(inside)) {
      throw unreadable(file, `names ${path}, which is outside the directory of the configuration`);
    }
  }
  const secret = (await readText(place, mostSecretBytes)).replace(/\r?\n$/, '');
  if (secret === '') throw unreadable(place, 'is empty');
  return secret;
}

async function readText(path: string, limit: number): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > limit) throw unreadable(path, `has more than ${limit} bytes`);
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    throw unreadable(path, `cannot be read (${(cause as NodeJS.ErrnoException).code})`);
  }
}

export function joined(one: ConfigurationDocument, other: ConfigurationDocument): ConfigurationDocument {
  if (one.source !== other.source || one.version !== other.version) {
    throw new ProblemError(problems.invalidRequest, 'The files are of different sources or versions.');
  }
  const both: Record<string, unknown> = { ...one, ...other };
  for (const { key } of objectKinds) {
    const [first, second] = [one[key], other[key]] as readonly (object | undefined)[];
    if (!first || !second) continue;
    const twice = Object.keys(first).find((id) => Object.hasOwn(second, id));
    if (twice !== undefined) {
      throw new ProblemError(problems.invalidRequest, `Two files describe ${key}/${twice}.`);
    }
    both[key] = { ...first, ...second };
  }
  return both as unknown as ConfigurationDocument;
}

function unreadable(file: string, why: string): ProblemError {
  return new ProblemError(problems.invalidRequest, `${file} ${why}.`);
}
