/** `console installation`: what this console is. */
import { readFile, stat } from 'node:fs/promises';
import { ProblemError, problems } from '../../platform/errors.ts';
import { changeFlags, conditionsIn } from './operations/changes.ts';
import { type Command, flags, type Reply, UsageError } from './runner/command.ts';
import { fields } from './runner/output.ts';

/** A larger one is no logo: it is not even read. */
const mostBytes = 65_536;

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

/** The same. */
interface BrandingView {
  readonly name: string | null;
  readonly accent: string | null;
  readonly language: string | null;
  readonly logo: { readonly mediaType: string; readonly bytes: number } | null;
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
  {
    isOnApi: true,
    name: 'installation branding',
    summary: 'Shows name, logo, colour and language of this installation, as pages have them.',
    async run(_input, { api }) {
      return done((await api.call('readBranding')).body as BrandingView);
    },
  },
  {
    isOnApi: true,
    name: 'installation update',
    summary: 'Gives this installation another name, colour or language, on every page from the next one on.',
    flags: {
      ...flags({
        '[--name TEXT]': 'in the place of the product; none: that of the product again',
        '[--accent C]': 'of buttons and links, such as #0f5a49; none: that of the product again',
        '[--language L]': 'en or de, where neither reader nor browser asks for one; none: English',
      }),
      ...changeFlags,
    },
    async run(input, { api }) {
      const given = (['name', 'accent', 'language'] as const).flatMap((field) => {
        const text = input.text(field);
        return text === undefined ? [] : [[field, givenOrNone(text)] as const];
      });
      if (given.length === 0) throw new UsageError('Say what to change: --name, --accent or --language.');
      const body = Object.fromEntries(given);
      return done((await api.call('updateBranding', { body, ...conditionsIn(input) })).body as BrandingView);
    },
  },
  {
    isOnApi: true,
    name: 'installation logo',
    summary: 'Shows this picture in the place of the logo of the product: a PNG or an SVG of up to 64 KiB.',
    flags: { ...flags({ '--file F': 'the picture' }), ...changeFlags },
    async run(input, { api }) {
      const data = (await bytesIn(input.text('file')!)).toString('base64');
      const request = { body: { data }, ...conditionsIn(input) };
      return done((await api.call('putBrandingLogo', request)).body as BrandingView);
    },
  },
  {
    isOnApi: true,
    name: 'installation remove-logo',
    summary: 'Shows the logo of the product again.',
    flags: changeFlags,
    async run(input, { api }) {
      return done((await api.call('deleteBrandingLogo', conditionsIn(input))).body as BrandingView);
    },
  },
];

/** @throws {ProblemError} `invalid_request` */
async function bytesIn(path: string): Promise<Buffer> {
  const about = await stat(path).catch(() => undefined);
  if (about?.isFile() && about.size <= mostBytes) return readFile(path);
  throw new ProblemError(
    problems.invalidRequest,
    about?.isFile() ? 'The picture has more than 64 KiB.' : 'There is no such file.',
  );
}

function givenOrNone(text: string): string | null {
  return text === 'none' ? null : text;
}

function done(view: BrandingView): Reply {
  const { name, accent, language, logo } = view;
  const text = fields({
    name: name ?? 'that of the product',
    accent: accent ?? 'that of the product',
    language: language ?? 'en',
    logo: logo ? `${logo.mediaType}, ${logo.bytes} bytes` : 'that of the product',
  });
  return { text, json: view };
}
