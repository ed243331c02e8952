/** `console installation`: what this console is. */
import type { Command } from './runner/command.ts';
import { fields } from './runner/output.ts';

/** As the API shows it. */
interface InstallationView {
  readonly id: string | null;
  readonly version: string;
  readonly nodeVersion: string;
  readonly platform: string;
  readonly workers: number;
  readonly startedAt: string | null;
  readonly store: { readonly engine: string; readonly format: number; readonly registryFormat: number };
  readonly libraries: readonly unknown[];
}

export const installationCommands: readonly Command[] = [
  {
    isOnApi: true,
    name: 'installation show',
    summary:
      'Shows what runs here: release, store, how long; with --json the libraries and their licences too.',
    async run(_input, { api }) {
      const view = (await api.call('readInstallation')).body as InstallationView;
      const { engine, format, registryFormat } = view.store;
      const text = fields({
        id: view.id ?? 'none before the first start',
        version: view.version,
        node: `${view.nodeVersion}, ${view.platform}`,
        processes: String(view.workers),
        started: view.startedAt ?? 'not running',
        store: `${engine}, format ${format}; registry, format ${registryFormat}`,
        libraries: String(view.libraries.length),
      });
      return { text, json: view };
    },
  },
];
