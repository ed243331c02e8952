import { describeSettings } from '../settings/settings.ts';
import { listFlags, listReply } from './operations/lists.ts';
import type { Command, Reply, Tools } from './runner/command.ts';
import { fields, table } from './runner/output.ts';

/** As the API shows it. */
interface SettingView {
  readonly id: string;
  readonly value: string | null;
  readonly isSet: boolean;
  readonly isSecret: boolean;
  readonly origin: string;
  readonly changesLive: boolean;
  readonly meaning: string;
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
    positionals: ['[<name>]'],
    flags: listFlags,
    details: [
      'With a name, such as CONSOLE_URL, that one and what it means.',
      'Whatever this shell says; settings alone prints those with which a console would start from here.',
    ],
    run: (input, tools) =>
      input.positionals[0] === undefined
        ? listReply<SettingView>(tools, 'listSettings', input, {
            headings: ['NAME', 'VALUE', 'FROM'],
            row: (setting) => [setting.id, shownValue(setting), setting.origin],
            none: '',
          })
        : oneSetting(input.positionals[0], tools),
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

async function oneSetting(setting: string, { api }: Pick<Tools, 'api'>): Promise<Reply> {
  const view = (await api.call('readSetting', { params: { setting } })).body as SettingView;
  const text = fields({
    name: view.id,
    value: shownValue(view),
    from: view.origin,
    changes: view.changesLive ? 'in console.yaml, without a new start' : 'at the next start',
    meaning: view.meaning,
  });
  return { text, json: view };
}

function shownValue({ value, isSet, isSecret }: SettingView): string {
  return value ?? (isSecret && isSet ? '[redacted]' : 'unset');
}

function warned(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['It will warn that:', ...lines];
}
