/** How an installation is made one's own: its name, logo, colour and language, in the registry, so that backups hold them too. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { checkVersion } from '../storage/record-version.ts';
import type { Registry, RegistryTransaction } from '../storage/storage.ts';
import { type Colour, type Tokens, tokensOf } from './colours.ts';
import type { Picture } from './logo/picture.ts';

/** Those that pages speak. */
export const pageLanguages = ['en', 'de'] as const;
export type PageLanguage = (typeof pageLanguages)[number];

/** Absent: that of the product. */
export interface StoredBranding {
  readonly name?: string;
  readonly accent?: Colour;
  readonly logo?: StoredLogo;
  readonly language?: PageLanguage;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

export interface StoredLogo extends Omit<Picture, 'bytes'> {
  /** Base64. */
  readonly data: string;
  /** SHA-256 of the bytes, base64url. */
  readonly sha256: string;
}

/** A file for browsers, whose address changes with it. */
export interface BrandingFile {
  readonly body: Buffer;
  readonly type: string;
  /** Strong validator, without its quotes. */
  readonly tag: string;
}

/** What pages show. */
export interface ShownBranding {
  readonly name?: string;
  readonly logo?: { readonly href: string; readonly width: number; readonly height: number };
  /** Of the style sheet with the colours, and of what it has otherwise in the dark. */
  readonly colours?: { readonly href: string; readonly darkHref: string };
  readonly language?: PageLanguage;
}

export interface BrandingChange {
  readonly before: StoredBranding | undefined;
  readonly after: StoredBranding;
}

export type Branding = ReturnType<typeof createBranding>;

const settingId = 'branding';
/** As a logo is high in the bar; it may be five times as wide. */
const shownHeight = 32;
const shownWidth = 160;

export interface BrandingDeps {
  readonly registry: Registry;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createBranding({ registry, now }: BrandingDeps) {
  const current = () => storedIn(registry);
  const madeOf = remembered(made);
  return {
    current,
    /** @param change  null: that of the product again. @throws {ProblemError} `precondition_failed` */
    update(
      change: { readonly [F in 'name' | 'accent' | 'logo' | 'language']?: StoredBranding[F] | null },
      { ifMatch }: { readonly ifMatch?: string | undefined } = {},
    ): Promise<BrandingChange> {
      return registry.update((transaction) => {
        const before = storedIn(transaction);
        checkVersion(before, ifMatch);
        const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
        const wanted = Object.fromEntries(merged);
        if (before && isDeepStrictEqual(wanted, { ...before })) return { before, after: before };
        const after = { ...wanted, updatedAt: now() };
        transaction.put('settings', { id: settingId, value: after });
        return { before, after };
      });
    },
    /** For every page: made anew after a change alone. */
    shown: (): ShownBranding => madeOf(current()).shown,
    file: (name: string): BrandingFile | undefined => madeOf(current()).files.get(name),
  };
}

function storedIn({ get }: Pick<RegistryTransaction, 'get'>): StoredBranding | undefined {
  return get('settings', settingId)?.value as StoredBranding | undefined;
}

export function storedLogo({ bytes, ...picture }: Picture): StoredLogo {
  return { ...picture, data: bytes.toString('base64'), sha256: digestOf(bytes) };
}

/** The records of the registry are replaced, never changed in place. */
function remembered<In, Out>(make: (from: In) => Out): (from: In) => Out {
  let last: { readonly from: In; readonly made: Out } | undefined;
  return (from) => {
    if (last === undefined || last.from !== from) last = { from, made: make(from) };
    return last.made;
  };
}

function made(stored: StoredBranding | undefined) {
  const { name, accent, logo, language } = stored ?? {};
  const tokens = accent && tokensOf(accent);
  const files = new Map<string, BrandingFile>([
    ...(logo ? [['logo', logoFile(logo)] as const] : []),
    ...(tokens ? [['colours.css', coloursFile(tokens.light)] as const] : []),
    ...(tokens ? [['dark.css', coloursFile(tokens.dark)] as const] : []),
  ]);
  const hrefOf = (file: string) => `/branding/${file}?v=${files.get(file)!.tag}`;
  const shown: ShownBranding = {
    ...(name !== undefined && { name }),
    ...(logo && { logo: { href: hrefOf('logo'), ...shownSize(logo) } }),
    ...(tokens && { colours: { href: hrefOf('colours.css'), darkHref: hrefOf('dark.css') } }),
    ...(language !== undefined && { language }),
  };
  return { files, shown };
}

function logoFile({ data, mediaType, sha256 }: StoredLogo): BrandingFile {
  return { body: Buffer.from(data, 'base64'), type: mediaType, tag: sha256.slice(0, 16) };
}

function coloursFile(tokens: Tokens): BrandingFile {
  const lines = Object.entries(tokens).map(([name, colour]) => `  --${name}: ${colour};\n`);
  const body = Buffer.from(`:root {\n${lines.join('')}}\n`);
  return { body, type: 'text/css; charset=utf-8', tag: digestOf(body).slice(0, 16) };
}

function shownSize({ width, height }: StoredLogo) {
  const scale = Math.min(shownHeight / height, shownWidth / width);
  const [shownWide, shownHigh] = [width, height].map((length) => Math.max(1, Math.round(length * scale)));
  return { width: shownWide!, height: shownHigh! };
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
