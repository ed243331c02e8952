import { describeSettings } from '../settings/settings.ts';
import { listFlags, listReply } from './operations/lists.ts';
import type { Command } from './runner/command.ts';
import { table } from './runner/output.ts';

/** As the API shows it. */
interface SettingView {
  readonly id: string;
  readonly value: string | null;
  readonly isSet: boolean;
  readonly isSecret: boolean;
  readonly origin: string;
}

export const settingsCommands: readonly Command[] = [
  {
    name: 'settings',
    summary: 'Prints every setting, secrets redacted, and where its value comes from.',
    takesSettings: true,
    isLocal: true,
    async run(_input, { settings }) {
      const rows = describeSettings(await settings());
      return {
        text: table(
          ['NAME', 'VALUE', 'FROM'],
          rows.map(({ name, value, origin }) => [name, value, origin]),
          '',
        ),
        json: rows,
      };
    },
  },
  {
    name: 'settings show',
    isOnApi: true,
    summary:
      'Prints the settings of the console that runs, secrets redacted, and where their values come from.',
    flags: listFlags,
    details: [
      'Whatever this shell says; settings alone prints those with which a console would start from here.',
    ],
    run: (input, tools) =>
      listReply<SettingView>(tools, 'listSettings', input, {
        headings: ['NAME', 'VALUE', 'FROM'],
        row: ({ id, value, isSet, isSecret, origin }) => [
          id,
          value ?? (isSecret && isSet ? '[redacted]' : 'unset'),
          origin,
        ],
        none: '',
      }),
  },
  {
    name: 'settings check',
    summary: 'Says whether the console could start with these settings, and starts nothing.',
    takesSettings: true,
    isLocal: true,
    async run(_input, { settings }) {
      const { warnings } = await settings();
      const lines = warnings.map((warning) => `  - ${warning}`);
      return {
        text: ['The console can start with these settings.', ...warned(lines)].join('\n'),
        json: { problems: [], warnings },
      };
    },
  },
];

function warned(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['It will warn that:', ...lines];
}
