/**
 * Builds `dist/`: every program in one file, with the libraries, and the chunks that the programs share (decision 26).
 * Does nothing when nothing has changed since, or when this is an installation without sources or without the builder.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { noticesOf } from './packaging/notices.js';

const root = import.meta.dirname;
const dist = join(root, 'dist');
const record = join(dist, 'inputs.json');

/** What is started by its name, threads and processes of their own included. */
const programs = [
  'console/main.ts',
  'console/cli.ts',
  'console/proxy/main.ts',
  'console/audit/audit-thread.ts',
  'console/audit/reader/reader-thread.ts',
  'console/audit/rows/verify/verify-rows-thread.ts',
  'console/audit/verify/walk-thread.ts',
  'console/configuration/parse-process.ts',
  'console/metrics/demo-day.ts',
  'console/storage/embedded/commits/commit-thread.ts',
  'member/main.ts',
  'member/config/changes/config-process.ts',
  'member/persistence/former/import-former.ts',
  'dashboard/main.ts',
  'dashboard/demo.ts',
];
/** Loaded late, by whoever cannot wait for a promise: each in a file of its own (`requireLibrary`). */
const late = ['ldapts', 'pino-pretty'];
/** They have compiled parts, which they find beside their own files. */
export const native = ['argon2', 'bcrypt', 'lmdb'];
/** What pages load that have plots, the page that tries calls, and whoever wants an editor, each with its library. */
const forBrowsers = ['plots', 'explorer', 'editor'];
/** What writes the descriptions of the APIs, and the one that is written by hand. */
const describing = 'console/description/write.ts';
const ofMembers = 'docs/member-openapi.yaml';
/** Changes with every library that is installed. */
const libraries = [
  'node_modules/.package-lock.json',
  'package.json',
  'tsconfig.json',
  'build.js',
  'packaging/notices.js',
];

/** Pictures within a style sheet become files beside it: the content policy of the pages takes no `data:` (S51). */
const picturesAsFiles = {
  name: 'pictures as files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^data:image\/(svg\+xml|png|jpeg)/ }, ({ path, kind }) => {
      if (kind !== 'url-token') return undefined;
      const [, type] = /^data:image\/(\w+)/.exec(path);
      return {
        path: `picture.${type}`,
        namespace: 'picture',
        pluginData: path,
        suffix: `?${digestOf(path)}`,
      };
    });
    onLoad({ filter: /.*/, namespace: 'picture' }, async ({ pluginData }) => ({
      contents: new Uint8Array(await (await fetch(pluginData)).arrayBuffer()),
      loader: 'file',
    }));
  },
};

if (existsSync(join(root, programs[0])) && !isFresh()) await build();

async function build() {
  const builder = await import('esbuild').catch(() => undefined);
  if (builder === undefined) {
    process.stderr.write(
      'dist/ is older than the sources, and the builder is not installed: npm ci && npm run build\n',
    );
    process.exitCode = 1;
    return;
  }
  const common = {
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    // Names and lines of the sources, not their text: `node --enable-source-maps` shows them in stack traces.
    sourcemap: 'linked',
    sourcesContent: false,
    // An installation may have its libraries behind a link.
    preserveSymlinks: true,
    metafile: true,
    logLevel: 'warning',
  };
  const built = await Promise.all([
    builder.build({
      ...common,
      entryPoints: programs,
      outbase: '.',
      chunkNames: 'chunks/[name]-[hash]',
      splitting: true,
      format: 'esm',
      external: native,
      // Libraries in CommonJS ask for Node's own modules so.
      banner: {
        js: "import { createRequire as createRequireOfChunk } from 'node:module'; const require = createRequireOfChunk(import.meta.url);",
      },
    }),
    builder.build({
      ...common,
      entryPoints: late.map((name) => ({ in: name, out: `libraries/${name}` })),
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
    }),
    builder.build({
      ...common,
      entryPoints: forBrowsers.map((name) => ({ in: `views/browser/${name}.js`, out: `static/${name}` })),
      plugins: [picturesAsFiles],
      assetNames: 'static/[name]-[hash]',
      publicPath: '/',
      platform: 'browser',
      target: 'es2022',
      format: 'esm',
      minify: true,
      sourcemap: false,
    }),
  ]);
  const outputs = Object.assign({}, ...built.map(({ metafile }) => metafile.outputs));
  const described = await describe(builder);
  const inputs = [...built, described].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  removeOthers(new Set([...Object.keys(outputs), ...described.written].map((path) => join(root, path))));
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), noticesOf(root, outputs));
  const own = inputs.filter((path) => !path.includes('node_modules/'));
  writeFileSync(record, JSON.stringify(stateOf([...libraries, ofMembers, ...own])));
}

/** Runs what writes the descriptions, which is no part of what is built. */
async function describe(builder) {
  const outfile = join(dist, 'describe.mjs');
  const { metafile } = await builder.build({
    absWorkingDir: root,
    entryPoints: [describing],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    metafile: true,
    logLevel: 'warning',
  });
  const { descriptions } = await import(`${pathToFileURL(outfile)}?${Date.now()}`);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const written = Object.entries(descriptions(version, readFileSync(join(root, ofMembers), 'utf8')));
  for (const [path, text] of written) writeFileSync(join(dist, path), text);
  return { metafile, written: written.map(([path]) => `dist/${path}`) };
}

function isFresh() {
  if (!existsSync(record)) return false;
  const built = JSON.parse(readFileSync(record, 'utf8'));
  const now = stateOf(Object.keys(built));
  // Without the builder other libraries are installed than it had, and they are in `dist/` already.
  const watched = Object.keys(built).filter((path) => canBuild() || !libraries.includes(path));
  return watched.every((path) => built[path] === now[path]);
}

function canBuild() {
  try {
    createRequire(import.meta.url).resolve('esbuild');
    return true;
  } catch {
    return false;
  }
}

/** @returns digests by path: the time of a change says nothing where files were copied */
function stateOf(paths) {
  return Object.fromEntries(
    paths.map((path) => {
      const file = join(root, path);
      return [path, existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('base64') : ''];
    }),
  );
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** What an earlier build has left. */
function removeOthers(outputs) {
  for (const { name, parentPath } of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(parentPath, name);
    if (statSync(path).isFile() && !outputs.has(path)) rmSync(path);
  }
}
