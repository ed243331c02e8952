/** The bill of materials that npm writes from the lock file, as docs/operations.md says. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const documented = readFileSync(join(root, 'docs/operations.md'), 'utf8');

interface Locked {
  readonly version: string;
  readonly integrity: string;
  readonly dev?: boolean;
}
interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

test('the bill of materials that the documentation offers names each package with its digest (S88)', () => {
  const command = /^npm (sbom .+?)(?: > \S+)?$/m.exec(documented)![1]!;
  const written = execFileSync('npm', command.split(' '), {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { bomFormat, components } = JSON.parse(written) as {
    bomFormat: string;
    components: readonly Component[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const listed = components.map(({ name, version, hashes = [] }) => [
    `${name}@${version}`,
    hashes.map(({ alg, content }) => [alg, Buffer.from(content, 'hex').toString('base64')]),
  ]);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>;
  };
  const needed = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, { version, integrity }]) => [
      `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
      [['SHA-512', integrity.replace(/^sha512-/, '')]],
    ]);
  expect(needed.length).toBeGreaterThan(50);
  const known = new Set(listed.map((entry) => JSON.stringify(entry)));
  expect(needed.filter((entry) => !known.has(JSON.stringify(entry)))).toEqual([]);
  const ofDevelopment = components.filter(({ properties = [] }) =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true'),
  );
  const isMarked = (wanted: string) => ofDevelopment.some(({ name }) => name === wanted);
  expect(['vitest', 'typescript', 'pino', 'koa'].filter(isMarked)).toEqual(['vitest', 'typescript']);
});
