/** `/api/v1/configuration`: objects described as a whole, planned, applied in one change, and compared with what is there. */
import { z } from 'zod';
import type { Configuration } from '../configuration/configuration.ts';
import type { ComparedFiles } from '../configuration/directory/differing-files.ts';
import type { DirectoryState } from '../configuration/directory/directory.ts';
import {
  type ConfigurationDocument,
  checkDescribing,
  configurationDocument,
} from '../configuration/document.ts';
import type { Ownership } from '../configuration/ownership.ts';
import { type Operation, operation } from '../operations/operation.ts';
import { holdView } from '../operations/owner.ts';
import { dateTime, view } from '../operations/resource-fields.ts';

export interface ConfigurationNeeds {
  readonly configuration: Configuration;
  /** How it went when `CONSOLE_CONFIG_DIR` was read last. */
  readonly configurationDirectory: {
    readonly path: string | undefined;
    read(): Promise<DirectoryState | undefined>;
    /** Of the consoles on the same database, this one first; none where it has its store alone. */
    compareFiles(): Promise<readonly ComparedFiles[]>;
  };
  readonly ownership: Ownership;
}

const source = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    'it has 1 to 64 small letters from a to z, digits and the characters . _ -, and starts with a letter or a digit',
  )
  .meta({ description: 'The name that files of configuration give themselves.', example: 'platform-team' });

const plan = z
  .strictObject({
    document: configurationDocument,
    prune: z
      .boolean()
      .meta({
        description: 'Removes what this source owns and does not describe, of the kinds that it describes.',
      })
      .exactOptional(),
    pruneCount: z
      .number()
      .int()
      .min(0)
      .meta({ description: 'So many are meant to be removed: needed for more than ten, or than a fifth.' })
      .exactOptional(),
    takeOver: z
      .array(z.string().max(300))
      .max(20_000)
      .meta({ description: 'Objects of others that become this source’s.', example: ['clients/billing'] })
      .exactOptional(),
  })
  .meta({
    example: {
      document: {
        version: 1,
        source: 'platform-team',
        roles: { OrdersReader: { permissions: ['svc:map:orders-*:read'] } },
      },
    },
  });

const step = view({
  kind: z.string(),
  id: z.string(),
  action: z.enum(['create', 'update', 'remove', 'take-over', 'held', 'blocked']).meta({
    description:
      'What is held was changed in an emergency and stays so; what is blocked keeps all of it from being applied.',
  }),
  changes: z.record(z.string(), z.unknown()).nullable(),
  reason: z.string().nullable(),
  code: z.string().nullable(),
  hold: holdView.nullable(),
  warnings: z.array(z.string()),
});

const compared = {
  source,
  createdAt: dateTime,
  canApply: z.boolean(),
  limit: z.string().nullable(),
  counts: z.record(z.string(), z.number().int()),
  steps: z.array(step),
};
const planView = view({ id: z.string(), expiresAt: dateTime, ...compared }).meta({ id: 'ConfigurationPlan' });
const directoryView = view({
  path: z.string().nullable().meta({ description: '`CONSOLE_CONFIG_DIR`; null: none is followed.' }),
  state: z
    .enum(['applied', 'refused'])
    .nullable()
    .meta({ description: 'Refused: what was in force before stays so. Null: it has not been read yet.' }),
  at: dateTime.nullable().meta({ description: 'When it was read last.' }),
  appliedAt: dateTime.nullable().meta({ description: 'When all of it was applied last.' }),
  problem: z.string().nullable(),
  sources: z.array(
    view({
      source,
      state: z.enum(['applied', 'refused']),
      problem: z.string().nullable(),
      counts: z.record(z.string(), z.number().int()),
    }),
  ),
  console: z.string().nullable().meta({
    description:
      'Of several consoles on one database, which one has read its files last: the one that leads. Null: this one.',
    example: 'console-0:8443',
  }),
  consoles: z
    .array(
      view({
        name: z.string().meta({ description: 'Its machine and port.' }),
        isLeading: z.boolean(),
        path: z.string().nullable(),
        differs: z.boolean().meta({ description: 'Whether its files are others than those in force.' }),
        files: z.array(z.string()).meta({ description: 'Which of them are, by name, as far as is known.' }),
      }),
    )
    .meta({
      description:
        'Those on one database that were heard of within 15 seconds, this one first; empty where there is one. Only the files of the one that leads are applied.',
    }),
}).meta({ id: 'ConfigurationDirectory' });
const driftView = view({ items: z.array(view(compared)) }).meta({ id: 'ConfigurationDrift' });
const params = z.strictObject({ plan: z.string().regex(/^pln_[\w-]{16}$/) });

const notRead = { state: null, at: null, appliedAt: null, problem: null, sources: [], console: null };

/** Of one description of 20,000 objects. */
const bodyLimit = 16 * 1024 * 1024;

export const configurationOperations: readonly Operation<ConfigurationNeeds>[] = [
  operation({
    id: 'readConfiguration',
    method: 'GET',
    path: '/configuration',
    summary: 'Describes what there is, or what one source owns; secrets are named and not shown.',
    access: 'inspect',
    query: z.strictObject({ source: source.exactOptional() }),
    answer: configurationDocument,
    isLong: true,
    async run({ query, actor }, { configuration }: ConfigurationNeeds) {
      return { body: await configuration.exported(query.source, actor) };
    },
  }),
  operation({
    id: 'createConfigurationPlan',
    method: 'POST',
    path: '/configuration/plans',
    summary: 'Says what a description would change, object by object; the plan can be applied for an hour.',
    access: 'write',
    event: 'configuration.planned',
    isMaking: true,
    body: plan,
    checkBody: (body) => checkDescribing(plan, body),
    bodyLimit,
    answer: planView,
    async run({ body, actor }, { configuration }: ConfigurationNeeds) {
      const { document, prune = false, pruneCount, takeOver = [] } = body;
      const options = { prune, pruneCount, takeOver };
      const made = await configuration.plan(document as ConfigurationDocument, options, actor);
      return { status: 201, body: made, target: made.id };
    },
  }),
  operation({
    id: 'readConfigurationPlan',
    method: 'GET',
    path: '/configuration/plans/{plan}',
    summary: 'Shows a plan.',
    access: 'inspect',
    params,
    answer: planView,
    async run({ params: { plan: id } }, { configuration }: ConfigurationNeeds) {
      return { body: await configuration.readPlan(id) };
    },
  }),
  operation({
    id: 'applyConfigurationPlan',
    method: 'POST',
    path: '/configuration/plans/{plan}/apply',
    summary: 'Makes it so, all of it in one change or nothing, if nothing that it touches has changed since.',
    access: 'write',
    isDangerous: true,
    event: 'configuration.applied',
    hasVersion: false,
    params,
    answer: planView,
    async run({ params: { plan: id }, actor }, { configuration }: ConfigurationNeeds) {
      const done = await configuration.apply(id, actor);
      const isUnchanged = done.steps.every(({ action }) => action === 'held');
      return { body: done, target: done.source, changes: done.counts, isUnchanged };
    },
  }),
  operation({
    id: 'readConfigurationSchema',
    method: 'GET',
    path: '/configuration/schema',
    summary: 'The form of files of configuration as a JSON Schema, for editors.',
    access: 'read',
    answer: z.record(z.string(), z.unknown()).meta({ id: 'ConfigurationSchema' }),
    async run(_call, { configuration }: ConfigurationNeeds) {
      return { body: await configuration.schema() };
    },
  }),
  operation({
    id: 'readConfigurationDirectory',
    method: 'GET',
    path: '/configuration/directory',
    summary: 'Says how it went when the files of CONSOLE_CONFIG_DIR were read last.',
    access: 'inspect',
    answer: directoryView,
    async run(_call, { configurationDirectory: { path, read, compareFiles } }: ConfigurationNeeds) {
      const [found, consoles] = await Promise.all([path === undefined ? undefined : read(), compareFiles()]);
      return { body: { path: path ?? null, ...notRead, ...found, consoles } };
    },
  }),
  operation({
    id: 'readConfigurationDrift',
    method: 'GET',
    path: '/configuration/drift',
    summary: 'Says what has moved since a source was applied: what applying it again would change.',
    access: 'inspect',
    query: z.strictObject({ source: source.exactOptional() }),
    answer: driftView,
    problems: [404],
    isLong: true,
    async run({ query, actor }, { configuration }: ConfigurationNeeds) {
      return { body: { items: await configuration.drift(query.source, actor) } };
    },
  }),
];
