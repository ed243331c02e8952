/** `/api/v1/installation`: what this console is. */
import { z } from 'zod';
import type { AboutInstallation } from '../../installation/about.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { type BrandingNeeds, brandingOperations } from './branding.ts';

export interface InstallationNeeds extends BrandingNeeds {
  readonly aboutInstallation: () => Promise<AboutInstallation>;
}

const installationView = view({
  id: z
    .uuid()
    .nullable()
    .meta({ description: 'Of this installation for good, in its backups too; null before its first start.' }),
  version: z.string().meta({ description: 'Of the console.', example: '1.0.0' }),
  nodeVersion: z.string().meta({ example: '22.12.0' }),
  platform: z.string().meta({ description: 'Operating system and processor.', example: 'linux x64' }),
  workers: z.number().int().meta({ description: 'How many processes answer.' }),
  startedAt: dateTime
    .nullable()
    .meta({ description: 'Of the process that answers; null where no console runs.' }),
  uptimeSeconds: z.number().int().nullable(),
  store: view({
    engine: z.string().meta({ description: 'What keeps users, clients, sessions and tokens.' }),
    format: z.number().int().meta({ description: 'Raised when an older console could no longer read it.' }),
    registryFormat: z.number().int().meta({ description: 'The same of `registry.json`.' }),
  }),
  libraries: z
    .array(
      view({
        name: z.string(),
        version: z.string(),
        licence: z.string().meta({ description: 'By its SPDX name.', example: 'MIT' }),
      }),
    )
    .meta({ description: 'Whose code is in the programs.' }),
}).meta({ id: 'Installation' });

export const installationOperations: readonly Operation<InstallationNeeds>[] = [
  ...brandingOperations,
  operation({
    id: 'readInstallation',
    method: 'GET',
    path: '/installation',
    summary: 'Shows what runs here: release, store, and the libraries in it with their licences.',
    access: 'inspect',
    answer: installationView,
    async run(_call, { aboutInstallation }: InstallationNeeds) {
      return { body: await aboutInstallation() };
    },
  }),
];
