/**
 * Makes the manifest of the package out of that of the project, for the moment in which `npm pack` reads it, and puts the
 * project's back: `node packaging/manifest.js for-package` and `for-project`. The second also repairs what a pack that was killed
 * has left.
 *
 * The programs have their libraries inside, so an installation needs those with compiled parts alone; it gets the
 * versions that the lock file names by `npm ci` in the unpacked package, which follows its `npm-shrinkwrap.json`. `dist/sbom.json` says what
 * is inside.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { native } from '../build.js';

const root = join(import.meta.dirname, '..');
const manifest = join(root, 'package.json');
const projects = join(root, '.package.json.of-project');
const shrinkwrap = join(root, 'npm-shrinkwrap.json');
/** What papers start by `npm run`; nothing is built before. */
const started = ['start', 'member', 'proxy', 'dashboard', 'demo'];

const asked = process.argv[2];
if (asked !== 'for-package' && asked !== 'for-project') throw new Error('say for-package or for-project');
restore();
if (asked === 'for-package') replace();

function restore() {
  if (existsSync(projects)) renameSync(projects, manifest);
  rmSync(shrinkwrap, { force: true });
}

function replace() {
  const project = read(manifest);
  const lock = read(join(root, 'package-lock.json'));
  writeFileSync(join(root, 'dist/sbom.json'), text(billOfMaterials(lock.packages)));

  const { name, version, description, license, type, engines, bin, files } = project;
  const dependencies = Object.fromEntries(native.map((each) => [each, project.dependencies[each]]));
  const scripts = Object.fromEntries(started.map((each) => [each, project.scripts[each]]));
  // Nobody publishes it by accident: npm refuses a private package, as a folder and as a file.
  const own = {
    ...{ name, version, description, license, private: true, type, engines },
    ...{ bin, scripts, files, dependencies },
  };
  const packages = { '': { name, version, license, dependencies, bin, engines }, ...closure(lock.packages) };
  renameSync(manifest, projects);
  writeFileSync(manifest, text(own));
  writeFileSync(shrinkwrap, text({ name, version, lockfileVersion: 3, requires: true, packages }));
}

/** @returns of all that the lock file names, what an installation of the package gets */
function closure(locked) {
  const found = new Map();
  const add = (name, from) => {
    const path = resolved(locked, name, from);
    if (path === undefined || found.has(path)) return;
    found.set(path, locked[path]);
    const { dependencies, optionalDependencies } = locked[path];
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) add(needed, path);
  };
  for (const name of native) add(name, '');
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** As Node finds it: in the folder of who asks, or in one above. */
function resolved(locked, name, from) {
  const path = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`;
  if (Object.hasOwn(locked, path)) return path;
  return from === ''
    ? undefined
    : resolved(locked, name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
}

/**
 * What the programs are made of, and an installation gets: of one commit always the same, so without a number and a time of
 * its own. npm would leave out what development needs too.
 */
function billOfMaterials(locked) {
  const command = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  const {
    serialNumber: _,
    metadata,
    components,
    dependencies,
    ...bill
  } = JSON.parse(execFileSync('npm', command, options));
  const { timestamp: __, component, ...rest } = metadata;
  // npm calls it as the folder is called.
  const isDevelopments = ({ name, version }) =>
    !Object.entries(locked).some(
      ([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === version && !one.dev,
    );
  const gone = new Set(components.filter(isDevelopments).map((each) => each['bom-ref']));
  return {
    ...bill,
    metadata: { ...rest, component: { ...component, name: read(manifest).name } },
    components: components.filter((each) => !gone.has(each['bom-ref'])),
    dependencies: dependencies
      .filter(({ ref }) => !gone.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => !gone.has(each)) })),
  };
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function text(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
