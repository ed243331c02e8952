import { describeSettings } from '../settings/settings.ts';
import type { Command } from './runner/command.ts';
import { table } from './runner/output.ts';

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
