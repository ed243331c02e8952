/** The production code, as its folders, imports, functions and lines. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

export const root = resolve(import.meta.dirname, '../..');

export interface Source {
  /** From the root. */
  readonly file: string;
  /** Files of ours that it imports, types included. */
  readonly imports: readonly string[];
  /** Without comments and empty lines. */
  readonly lines: number;
  readonly functions: readonly { readonly name: string; readonly lines: number }[];
}

/** Folders of production code. */
export const folders = [
  'access-tokens',
  'bin',
  'console',
  'dashboard',
  'http',
  'member',
  'member-proxy',
  'platform',
  'views',
];

export function readSources(): readonly Source[] {
  return folders.flatMap(readFolder);
}

function readFolder(folder: string): readonly Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?[jt]sx?$/.test(name))
    .sort()
    .map((name) => readSource(join(folder, name)));
}

/** Where a fault lets somebody in, and where their tests are. */
const securityPaths: readonly (readonly [code: string, tests: string])[] = [
  ['console/accounts', 'test/accounts'],
  ['console/federation', 'test/federation'],
  ['member-proxy', 'test/member-proxy'],
];

export interface TestShare {
  readonly folder: string;
  readonly codeLines: number;
  readonly testLines: number;
}

/** How much of tests there is for the security paths, helpers of the tests included. */
export function testShares(): readonly TestShare[] {
  return securityPaths.map(([folder, tests]) => {
    const [codeLines = 0, testLines = 0] = [folder, tests].map((each) =>
      readFolder(each).reduce((sum, { lines }) => sum + lines, 0),
    );
    return { folder, codeLines, testLines };
  });
}

/** A node of the syntax tree (ESTree), as far as it is looked at. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function readSource(file: string): Source {
  const text = readFileSync(join(root, file), 'utf8');
  const { program, comments } = parseSync(file, text);
  const code = withoutComments(text, comments);
  const functions: { name: string; lines: number }[] = [];
  const imports = new Set<string>();
  visit(program as unknown as Node, '(anonymous)');
  return { file, imports: [...imports], lines: filledLines(code), functions };

  /** @returns the places of the functions in it that count by themselves */
  function visit(node: Node, name: string): readonly Place[] {
    const specifier = specifierOf(node);
    if (specifier?.startsWith('.')) imports.add(join(dirname(file), specifier));
    const own = nameOf(node) ?? name;
    const within = childrenOf(node).flatMap((child) => visit(child, own));
    if (!isFunction(node)) return within;
    const inner = within.reduce((sum, place) => sum + linesIn(place), 0);
    functions.push({ name: own, lines: linesIn(node) - inner });
    return [node];
  }

  function linesIn({ start, end }: Place): number {
    return filledLines(code.slice(start, end));
  }
}

/** Every other character keeps its place. */
function withoutComments(text: string, comments: readonly Place[]): string {
  let code = text;
  for (const { start, end } of comments) {
    code = code.slice(0, start) + code.slice(start, end).replaceAll(/[^\n]/g, ' ') + code.slice(end);
  }
  return code;
}

function filledLines(code: string): number {
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

function isFunction({ type, body }: Node): boolean {
  return body != null && /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);
}

function nameOf({ id, key }: Node): string | undefined {
  const named = (id ?? key) as Node | null | undefined;
  return named?.type === 'Identifier' ? (named.name as string) : undefined;
}

function specifierOf({ type, source }: Node): string | undefined {
  const isImport = /^(?:Import|ExportNamed|ExportAll)Declaration$|^ImportExpression$|^TSImportType$/.test(
    type,
  );
  const value = isImport ? (source as Node | null | undefined)?.value : undefined;
  return typeof value === 'string' ? value : undefined;
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** Groups of files that import each other, one way or another: Tarjan's strongly connected components. */
export function cyclesOf(
  sources: readonly Pick<Source, 'file' | 'imports'>[],
): readonly (readonly string[])[] {
  const importsOf = new Map(sources.map(({ file, imports }) => [file, imports]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  for (const { file } of sources) if (!index.has(file)) connect(file);
  return cycles;

  function connect(file: string): void {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const next of importsOf.get(file) ?? []) {
      if (!importsOf.has(next)) continue;
      if (!index.has(next)) connect(next);
      else if (!stack.includes(next)) continue;
      low.set(file, Math.min(low.get(file)!, low.get(next)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const cycle = stack.splice(stack.indexOf(file));
    if (cycle.length > 1) cycles.push(cycle.sort());
  }
}

export const mostFiles = 20;
export const mostFunctionLines = 60;

/** Folders in which too many files lie directly, and how many. */
export function largeFolders(sources: readonly Pick<Source, 'file'>[]): readonly string[] {
  const sizes = new Map<string, number>();
  for (const { file } of sources) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  return [...sizes].filter(([, count]) => count > mostFiles).map(([folder, count]) => `${folder} (${count})`);
}

/** Functions that are too long without the functions within them, and how long. */
export function longFunctions(sources: readonly Pick<Source, 'file' | 'functions'>[]): readonly string[] {
  return sources.flatMap(({ file, functions }) =>
    functions
      .filter(({ lines }) => lines > mostFunctionLines)
      .map(({ name, lines }) => `${file} ${name} (${lines})`),
  );
}
