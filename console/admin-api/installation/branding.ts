/** `/api/v1/installation/branding`: name, logo, colour and language of this installation, as pages show them to everybody. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import {
  type Branding,
  type BrandingChange,
  type PageLanguage,
  pageLanguages,
  type StoredBranding,
  storedLogo,
} from '../../installation/branding.ts';
import { type Colour, contrastOfAccent, leastContrast, readableAccent } from '../../installation/colours.ts';
import { InvalidLogoError } from '../../installation/logo/picture.ts';
import { logoLimit, safeLogo } from '../../installation/logo/safe-logo.ts';
import { changesBetween } from '../../operations/changes.ts';
import { type Answer, type Operation, operation } from '../../operations/operation.ts';
import { dateTime, resource, view } from '../../operations/resource-fields.ts';
import { versionOf } from '../../storage/record-version.ts';

export interface BrandingNeeds {
  readonly branding: Pick<Branding, 'current' | 'update' | 'shown'>;
}

const fields = {
  name: z.string().min(1).max(40).meta({
    description: 'In the place of the product, in the bar and before a sign-in. One line.',
    example: 'Prod-EU',
  }),
  accent: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'it is # and six digits or letters from a to f, such as #0f5a49')
    .meta({
      description: `Of buttons and links; in the dark a lighter one follows from it. At least ${leastContrast} to 1 on the light ground.`,
      example: '#0f5a49',
    }),
  language: z.enum(pageLanguages).meta({
    description: 'Of pages, for whoever has chosen none and whose browser asks for none of these.',
    example: 'de',
  }),
};
const form = resource({ fields, defaults: { name: null, accent: null, language: null } });
const logoView = view({
  mediaType: z.enum(['image/png', 'image/svg+xml']),
  bytes: z.number().int(),
  href: z.string().meta({ description: 'Where everybody may load it, from the address of the console.' }),
});
const brandingView = view({
  name: z.string().nullable().meta({ description: 'Null: that of the product.' }),
  accent: z.string().nullable(),
  language: z.enum(pageLanguages).nullable().meta({ description: 'Null: English.' }),
  logo: logoView.nullable(),
  updatedAt: dateTime.nullable(),
}).meta({ id: 'Branding' });

interface ChangedFields {
  readonly name?: string | null;
  readonly accent?: string | null;
  readonly language?: PageLanguage | null;
}

const common = {
  access: 'write',
  event: 'branding.changed',
  isOneChange: true,
  answer: brandingView,
} as const;

export const brandingOperations: readonly Operation<BrandingNeeds>[] = [
  operation({
    id: 'readBranding',
    method: 'GET',
    path: '/installation/branding',
    summary: 'Shows name, logo, colour and language of this installation.',
    access: 'inspect',
    answer: brandingView,
    async run(_call, needs: BrandingNeeds) {
      return shown(needs.branding.current(), needs);
    },
  }),
  operation({
    ...common,
    id: 'updateBranding',
    method: 'PATCH',
    path: '/installation/branding',
    summary: 'Changes name, colour and language; counts for every page from the next one on.',
    body: form.patch,
    async run({ body, ifMatch }, needs: BrandingNeeds) {
      const { name, accent, language } = form.changed(body) as ChangedFields;
      const change = {
        ...(name !== undefined && { name: name === null ? null : oneLine(name) }),
        ...(accent !== undefined && { accent: accent === null ? null : readable(accent) }),
        ...(language !== undefined && { language }),
      };
      return changed(await needs.branding.update(change, { ifMatch }), needs);
    },
  }),
  operation({
    ...common,
    id: 'putBrandingLogo',
    method: 'PUT',
    path: '/installation/branding/logo',
    summary: `Shows this picture in the place of the product's: a PNG or an SVG of ${logoLimit / 1024} KiB at most.`,
    description:
      'Of a PNG only the picture is stored; of an SVG shapes, colours and text, and nothing that runs, loads or links.',
    statuses: [200],
    body: z.strictObject({
      data: z
        .base64()
        .max(4 * logoLimit)
        .meta({
          description: 'The file, in base64.',
          example: 'PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAxIDEiLz4=',
        }),
    }),
    async run({ body: { data }, ifMatch }, needs: BrandingNeeds) {
      const logo = storedLogo(await pictureIn(Buffer.from(data, 'base64')));
      return changed(await needs.branding.update({ logo }, { ifMatch }), needs);
    },
  }),
  operation({
    ...common,
    id: 'deleteBrandingLogo',
    method: 'DELETE',
    path: '/installation/branding/logo',
    summary: 'Shows the logo of the product again.',
    statuses: [200],
    async run({ ifMatch }, needs: BrandingNeeds) {
      return changed(await needs.branding.update({ logo: null }, { ifMatch }), needs);
    },
  }),
];

/** @throws {ProblemError} `invalid_request` */
function oneLine(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== '' && !/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u.test(trimmed)) return trimmed;
  throw invalid('/name', 'The name is one line of text, without marks that turn its direction.');
}

/** @throws {ProblemError} `invalid_request` */
function readable(given: string): Colour {
  const accent = given.toLowerCase() as Colour;
  const contrast = contrastOfAccent(accent);
  if (contrast >= leastContrast) return accent;
  throw invalid(
    '/accent',
    `Text of this colour cannot be read: its contrast is ${contrast.toFixed(1)} to 1, and ${leastContrast} is the least. ${readableAccent(accent)} would do.`,
  );
}

/** @throws {ProblemError} `invalid_request` */
async function pictureIn(bytes: Buffer) {
  try {
    return await safeLogo(bytes);
  } catch (error) {
    if (error instanceof InvalidLogoError) throw invalid('/data', error.message);
    throw error;
  }
}

function invalid(pointer: string, detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail, {
    members: { errors: [{ pointer: `#${pointer}`, code: 'invalid_value', detail }] },
  });
}

function changed({ before, after }: BrandingChange, needs: BrandingNeeds): Answer {
  const changes = changesBetween(saidOf(before), saidOf(after));
  return { ...shown(after, needs), target: 'branding', changes, isUnchanged: changes === undefined };
}

/** For the audit: a logo by its sum. */
function saidOf(stored: StoredBranding | undefined) {
  const { name = null, accent = null, language = null, logo } = stored ?? {};
  return { name, accent, language, logo: logo?.sha256 ?? null };
}

function shown(stored: StoredBranding | undefined, { branding }: BrandingNeeds): Answer {
  const { name = null, accent = null, language = null, logo, updatedAt } = stored ?? {};
  const body = {
    name,
    accent,
    language,
    logo: logo
      ? {
          mediaType: logo.mediaType,
          bytes: Buffer.byteLength(logo.data, 'base64'),
          href: branding.shown().logo!.href,
        }
      : null,
    updatedAt: updatedAt === undefined ? null : new Date(updatedAt).toISOString(),
  };
  return { body, ...(stored && { version: versionOf(stored) }) };
}
