/**
 * `/api/v1/settings`: what this console runs with, and where each value comes from. They are read only: what sets them
 * is outside, and the two that a running console takes over, the addresses of the dashboard, it takes from `console.yaml`.
 */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import { findsSetting } from '../http/display/setting-words.ts';
import { type Cursors, listOf, listQuery, pageOf } from '../operations/lists.ts';
import { type Operation, operation } from '../operations/operation.ts';
import { view } from '../operations/resource-fields.ts';
import type { ShownSetting } from '../settings/shown-settings.ts';

export interface SettingNeeds {
  readonly shownSettings: () => readonly ShownSetting[];
  readonly cursors: Cursors;
}

const settingId = z.string().regex(/^[A-Z][A-Z0-9_]{1,63}$/);
const settingView = view({
  id: settingId.meta({ description: 'Its name in the environment.', example: 'CONSOLE_URL' }),
  value: z.string().nullable().meta({ description: 'Null for a secret, and where nothing is set.' }),
  isSet: z.boolean().meta({ description: 'Whether there is a value, by default or otherwise.' }),
  origin: z
    .string()
    .meta({ description: 'A flag, an environment name, `console.yaml`, `default`, or `unset`.' }),
  isSecret: z.boolean(),
  changesLive: z
    .boolean()
    .meta({ description: 'Whether a change in `console.yaml` counts without a new start.' }),
  meaning: z.string(),
  warnings: z.array(z.string()).meta({ description: 'What is doubtful about it, as a start says.' }),
}).meta({ id: 'Setting' });

export const settingOperations: readonly Operation<SettingNeeds>[] = [
  operation({
    id: 'listSettings',
    method: 'GET',
    path: '/settings',
    summary: 'Lists every setting by name, with its value and where that comes from; no secret.',
    access: 'inspect',
    query: listQuery({
      q: z.string().max(200).exactOptional().meta({
        description:
          'Each of its words begins a word of the name, or of what the setting means, in English or German.',
      }),
      state: z.enum(['changed', 'warned']).exactOptional().meta({
        description: 'Those with a value that is not the default, or those with a warning.',
      }),
    }),
    answer: listOf(settingView),
    async run({ query }, { shownSettings, cursors }: SettingNeeds) {
      const found = shownSettings().filter(
        (setting) =>
          isInState(setting, query.state) && (query.q === undefined || findsSetting(setting, query.q)),
      );
      return { body: pageOf('listSettings', found, query, cursors) };
    },
  }),
  operation({
    id: 'readSetting',
    method: 'GET',
    path: '/settings/{setting}',
    summary: 'Shows one setting.',
    access: 'inspect',
    params: z.strictObject({ setting: settingId }),
    answer: settingView,
    async run({ params: { setting: id } }, { shownSettings }: SettingNeeds) {
      const found = shownSettings().find((setting) => setting.id === id);
      if (!found) throw new ProblemError(problems.notFound, 'There is no setting of this name.');
      return { body: found };
    },
  }),
];

function isInState({ origin, warnings }: ShownSetting, state: 'changed' | 'warned' | undefined): boolean {
  if (state === undefined) return true;
  return state === 'warned' ? warnings.length > 0 : origin !== 'default' && origin !== 'unset';
}
