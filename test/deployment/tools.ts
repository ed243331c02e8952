/** What reads charts, manifests and compose files (set up by `test/peers/set-up-deployment.sh`). */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../commands/support.ts';
import { cacheFolder, whyMissing } from '../peers/support/program.ts';

const folder = 'deployment-1';
const home = join(cacheFolder, folder);

/** Behind the name of what is skipped; undefined when they are there. */
export const toolsAreMissing = whyMissing(folder, 'test/peers/set-up-deployment.sh');

export const chart = join(root, 'packaging/kubernetes/cluster-console');
export const manifest = join(root, 'packaging/kubernetes/cluster-console.yaml');
export const composeFolder = join(root, 'packaging/compose');

/** With defaults in place of variables of a shell. */
export const compose: Resource = parse(
  readFileSync(join(composeFolder, 'compose.yaml'), 'utf8').replace(
    /\$\{\w+:-([^}]*)\}/g,
    (_, value: string) => value,
  ),
  { merge: true },
);

/** As `packaging/kubernetes/cluster-console.yaml` is made. */
export const rendering = [
  'template',
  'cluster',
  chart,
  '--namespace',
  'cluster-console',
  '--kube-version',
  '1.31',
];

export interface Said {
  readonly code: number | null;
  readonly text: string;
}

export function helm(...args: readonly string[]): Said {
  return run(join(home, 'bin/helm'), args);
}

/** @param release  of Kubernetes, such as `1.31` */
export function validateManifest(file: string, release: string): Said {
  const { code, text } = run(join(home, 'venv/bin/kubernetes-validate'), [
    '-k',
    release,
    '--strict',
    '--quiet',
    file,
  ]);
  return { code, text };
}

export function composeSchema(): object {
  return JSON.parse(readFileSync(join(home, 'compose-spec.json'), 'utf8'));
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a manifest holds
export type Resource = any;

export function resourcesIn(text: string): readonly Resource[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS({ maxAliasCount: 1000 }))
    .filter(Boolean);
}

function run(program: string, args: readonly string[]): Said {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return { code: status, text: `${stdout}${stderr}` };
}
