/** `npx console config`: files of configuration, planned and applied by the operations that the API has for them. */
import { resolve } from 'node:path';
import type { ConfigurationDocument } from '../configuration/document.ts';
import { configImportCommand } from './config-import.ts';
import { type Command, flags, type Input, type Reply, type Tools, UsageError } from './runner/command.ts';
import { columns, fields } from './runner/output.ts';

interface StepView {
  readonly kind: string;
  readonly id: string;
  readonly action: string;
  readonly changes: Readonly<Record<string, unknown>> | null;
  readonly reason: string | null;
}

interface PlanView {
  readonly id?: string;
  readonly source: string;
  readonly canApply: boolean;
  readonly limit: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly steps: readonly StepView[];
}

const exitCodeFlag = { '[--exit-code]': 'exit with 3 when something differs' };
const planFlags = {
  '[--prune]': 'remove what this source owns and the files do not describe, of the kinds that they have',
  '[--prune-count N]': 'so many are meant to be removed: more than ten, or than a fifth, are not without it',
  '[--take-over O …]': 'objects of others that become this source’s: clients/billing, or all',
};
const secretsDetail =
  'Secrets are read where the command runs: from files, beside the one that names them, or from its environment.';
interface FolderView {
  readonly path: string | null;
  readonly state: 'applied' | 'refused' | null;
  readonly at: string | null;
  readonly appliedAt: string | null;
  readonly problem: string | null;
  readonly sources: readonly {
    readonly source: string;
    readonly state: string;
    readonly problem: string | null;
  }[];
  readonly console: string | null;
  readonly consoles: readonly {
    readonly name: string;
    readonly isLeading: boolean;
    readonly differs: boolean;
    readonly files: readonly string[];
  }[];
}

const onApi = { isOnApi: true } as const;

export const configCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'config export',
    summary: 'Describes what there is as a file of configuration.',
    flags: flags({ '[--source S]': 'only what this source owns' }),
    details: ['Secrets are named, as files that you put there.'],
    async run(input, { api }) {
      const source = input.text('source');
      const { body } = await api.call('readConfiguration', { query: { ...(source && { source }) } });
      const { default: yaml } = await import('yaml');
      return { text: yaml.stringify(body).trimEnd(), json: body };
    },
  },
  {
    ...onApi,
    name: 'config plan',
    summary: 'Says what files of configuration would change.',
    positionals: ['<file>…'],
    flags: flags({ ...planFlags, ...exitCodeFlag }),
    details: [secretsDetail],
    async run(input, tools) {
      return shown(await plan(input, tools), input);
    },
  },
  {
    ...onApi,
    name: 'config apply',
    createsStore: true,
    summary: 'Makes it be as files of configuration say, in one change or not at all.',
    positionals: ['<file>…'],
    flags: flags(planFlags),
    details: [secretsDetail],
    asks: (input) =>
      input.has('prune')
        ? { says: 'This removes what the source owns and the files do not describe.', name: 'prune' }
        : undefined,
    async run(input, tools) {
      const { id = '' } = await plan(input, tools);
      const { body } = await tools.api.call('applyConfigurationPlan', { params: { plan: id } });
      return shown(body as PlanView, input);
    },
  },
  {
    ...onApi,
    name: 'config schema',
    summary: 'Prints the form of files of configuration as a JSON Schema, for editors.',
    async run(_input, { api }) {
      const { body } = await api.call('readConfigurationSchema');
      return { text: JSON.stringify(body, undefined, 2), json: body };
    },
  },
  configImportCommand,
  {
    ...onApi,
    name: 'config drift',
    summary: 'Says what has moved since files of configuration were applied.',
    flags: flags({ '[--source S]': 'only of this source', ...exitCodeFlag }),
    async run(input, { api }) {
      const source = input.text('source');
      const { body } = await api.call('readConfigurationDrift', { query: { ...(source && { source }) } });
      const { items } = body as { readonly items: readonly PlanView[] };
      const text = items.map((drift) => `${drift.source}\n${textOf(drift)}`).join('\n\n');
      const differs = items.some(({ steps }) => steps.length > 0);
      return {
        text: text || 'Nothing has been applied yet.',
        json: items,
        ...(differs && input.has('exit-code') && { exitCode: 3 }),
      };
    },
  },
  {
    ...onApi,
    name: 'config status',
    summary: 'Says how it went when the console read its folder of configuration last.',
    details: [
      'Of several consoles on one database the one that leads reads its own, and the others say so if theirs differ.',
      'CONSOLE_CONFIG_DIR names the folder. Exit code 1: it was refused, and what was in force before stays so.',
    ],
    async run(_input, { api }) {
      const view = (await api.call('readConfigurationDirectory')).body as FolderView;
      return { text: statusOf(view), json: view, hasFailed: view.state === 'refused' };
    },
  },
];

function statusOf(view: FolderView): string {
  const { path, state, at, appliedAt, problem, sources, console, consoles } = view;
  const others = consoles.filter(({ differs }) => differs);
  const differing = others.map(({ name, files }) =>
    files.length > 0 ? `${name} has others: ${files.join(', ')}` : `${name} has others, or none`,
  );
  if (path === null)
    return ['No folder is followed: CONSOLE_CONFIG_DIR is not set.', ...differing].join('\n');
  return fields({
    folder: path,
    state: state ?? 'not read yet',
    read: at ?? undefined,
    applied: appliedAt ?? undefined,
    problem: problem ?? undefined,
    sources: sources.map((one) => [one.source, one.state, one.problem ?? ''].join(' ').trim()),
    console: console ?? undefined,
    consoles: differing,
  });
}

async function plan(input: Input, { api, cwd, env }: Pick<Tools, 'api' | 'cwd' | 'env'>): Promise<PlanView> {
  const document = await readDocument(input, { cwd, env });
  const count = input.text('prune-count');
  if (count !== undefined && !/^\d{1,6}$/.test(count)) throw new UsageError('--prune-count takes a number.');
  const { body } = await api.call('createConfigurationPlan', {
    body: {
      document,
      prune: input.has('prune'),
      ...(count !== undefined && { pruneCount: Number(count) }),
      takeOver: input.texts('take-over') ?? [],
    },
  });
  return body as PlanView;
}

/** Loaded only here: reading YAML costs what most commands do not need. */
async function readDocument(
  { positionals }: Input,
  { cwd, env }: Pick<Tools, 'cwd' | 'env'>,
): Promise<ConfigurationDocument> {
  const { readConfiguration } = await import('../configuration/read-files.ts');
  return readConfiguration(
    positionals.map((file) => resolve(cwd, file)),
    { env },
  );
}

function shown(view: PlanView, input: Input): Reply {
  const differs = view.steps.length > 0;
  return {
    text: textOf(view),
    json: view,
    ...(differs && input.has('exit-code') && { exitCode: 3 }),
  };
}

function textOf({ steps, counts, limit }: PlanView): string {
  const rows = steps.flatMap(({ action, kind, id, changes, reason }) => {
    const [first = '', ...others] = [
      ...(reason ? [reason] : []),
      ...Object.entries(changes ?? {}).map(changeText),
    ];
    return [[action, `${kind}/${id}`, first], ...others.map((line) => ['', '', line])];
  });
  const said = Object.entries(counts).map(([action, count]) => `${count} ${action}`);
  return [
    ...(rows.length > 0 ? [columns(rows), ''] : []),
    `${said.join(', ')}.`,
    ...(limit ? [limit] : []),
  ].join('\n');
}

function changeText([name, change]: readonly [string, unknown]): string {
  if (typeof change !== 'object' || change === null) return `${name} ${String(change)}`;
  const { add, remove, from, to } = change as Readonly<Record<string, unknown>>;
  if (!Array.isArray(add) || !Array.isArray(remove))
    return from === null || from === undefined
      ? `${name} ${text(to)}`
      : `${name} ${text(from)} → ${text(to)}`;
  return `${name} ${[...add.map((item) => `+${text(item)}`), ...remove.map((item) => `-${text(item)}`)].join(' ')}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
