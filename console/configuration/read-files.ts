/** Files of configuration: YAML, with secrets in files beside them or in the environment of whoever reads them. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { ProblemError, problems } from '../../platform/errors.ts';
import { isReference } from './described-secrets.ts';
import type { ConfigurationDocument } from './document.ts';
import { objectKinds } from './object-kinds.ts';

export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Secrets are read from within this directory alone; undefined: from wherever a file says. */
  readonly within?: string;
}

/** Bytes. */
const mostBytes = 16 * 1024 ** 2;
const mostSecretBytes = 64 * 1024;

/**
 * One description, of all files together.
 *
 * @throws {ProblemError} `invalid_request`, which says where and repeats no secret
 */
export async function readConfiguration(
  files: readonly string[],
  sources: SecretSources,
): Promise<ConfigurationDocument> {
  const documents: ConfigurationDocument[] = [];
  for (const file of files) documents.push(await readOne(file, sources));
  return documents.reduce(joined);
}

async function readOne(file: string, sources: SecretSources): Promise<ConfigurationDocument> {
  const text = await readText(file, mostBytes);
  const { default: yaml } = await import('yaml');
  const parsed = yaml.parseDocument(text, { uniqueKeys: true });
  const [error] = [...parsed.errors, ...parsed.warnings];
  // Its message may quote the line, which may be a secret in the wrong place.
  if (error) throw unreadable(file, `is not YAML at line ${error.linePos?.[0].line ?? 1} (${error.code})`);
  const value = parsed.toJS({ maxAliasCount: 1000 }) as unknown;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unreadable(file, 'is not a description: it begins with version and source');
  }
  return (await withSecrets(value, file, sources)) as unknown as ConfigurationDocument;
}

/** Each `file` and `env` becomes the value that is found there. */
async function withSecrets(value: unknown, file: string, sources: SecretSources): Promise<object> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => found(item, file, sources)));
  const entries: (readonly [string, unknown])[] = [];
  for (const [name, member] of Object.entries(value as object)) {
    entries.push([name, await found(member, file, sources)]);
  }
  return Object.fromEntries(entries);
}

async function found(value: unknown, file: string, sources: SecretSources): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (!isReference(value)) return withSecrets(value, file, sources);
  if ('value' in value) throw unreadable(file, 'has a secret in it: give it by file or env');
  if ('file' in value) return { value: await readSecret(value.file, file, sources) };
  const secret = sources.env[value.env];
  if (secret === undefined || secret === '') {
    throw unreadable(file, `names ${value.env}, which is not set in the environment`);
  }
  return { value: secret };
}

async function readSecret(path: string, file: string, { within }: SecretSources): Promise<string> {
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
