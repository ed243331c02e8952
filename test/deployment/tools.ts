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
export const composeFolder = join(root, 'packaging/compose');

/** With defaults in place of variables of a shell. */
export const compose: Resource = parse(
  readFileSync(join(composeFolder, 'compose.yaml'), 'utf8').replace(
    /\$\{\w+:-([^}]*)\}/g,
    (_, value: string) => value,
  ),
  { merge: true },
);

/** What all manifests are made with. */
const rendering = ['template', 'cluster', chart, '--namespace', 'cluster-console', '--kube-version', '1.31'];

export interface Variant {
  readonly name: string;
  /** Plain manifests. */
  readonly file: string;
  /** Arguments of Helm that make them. */
  readonly rendering: readonly string[];
  readonly consoles: number;
}

const kubernetes = join(root, 'packaging/kubernetes');

/** What stands in `packaging/kubernetes/`. */
export const alone: Variant = {
  name: 'one console',
  file: join(kubernetes, 'cluster-console.yaml'),
  rendering,
  consoles: 1,
};
export const shared: Variant = {
  name: 'consoles on one database',
  file: join(kubernetes, 'cluster-console-shared.yaml'),
  rendering: [...rendering, '--values', join(kubernetes, 'shared-values.yaml')],
  consoles: 2,
};

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

function resourcesIn(text: string): readonly Resource[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS({ maxAliasCount: 1000 }))
    .filter(Boolean);
}

export interface Manifest {
  readonly resources: readonly Resource[];
  /** What has pods. */
  readonly workloads: readonly Resource[];
  readonly pods: readonly { readonly name: string; readonly pod: Resource; readonly container: Resource }[];
  find(kind: string, name: string): Resource;
  /** Environment of the one container of a workload. */
  settingsOf(name: string): Readonly<Record<string, string>>;
}

export function manifestOf(text: string): Manifest {
  const resources = resourcesIn(text);
  const workloads = resources.filter(({ kind }) => ['StatefulSet', 'Deployment'].includes(kind));
  const pods = workloads.map(({ metadata, spec }) => ({
    name: metadata.name as string,
    pod: spec.template.spec,
    container: spec.template.spec.containers[0],
  }));
  return {
    ...{ resources, workloads, pods },
    find: (kind, name) => resources.find((one) => one.kind === kind && one.metadata.name === name),
    settingsOf(name) {
      const { container } = pods.find((one) => one.name === name)!;
      return Object.fromEntries(
        (container.env as Resource[]).map((one) => [one.name as string, one.value as string]),
      );
    },
  };
}

function run(program: string, args: readonly string[]): Said {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return { code: status, text: `${stdout}${stderr}` };
}
