/** `/settings/branding`: name, logo, colour and language of this installation. */

import { ProblemError, problems } from '../../../platform/errors.ts';
import {
  type BrandingModel,
  brandingHref,
  renderBranding,
  type ShownBranding,
} from '../../../views/management/settings/branding.tsx';
import { saidIn, type Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Form } from '../../http/form.ts';
import type { Forms, Shown } from '../forms.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { commandWith, type TypedChange, textDifference } from '../ways/change-ways.ts';

const doneNotices = (t: Translate): Readonly<Record<string, string>> => ({
  saved: t('branding.savedEveryPageFrom'),
  unchanged: t('common.nothingWasDifferent'),
  logo: t('branding.logoSet'),
  'remove-logo': t('branding.logoProductShownAgain'),
});

const fields = ['name', 'accent', 'language'] as const;

interface Found {
  readonly branding: ShownBranding;
  readonly version: string | undefined;
}

export function createBrandingPage(tools: PageTools, forms: Forms) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      await tools.check(ctx, 'updateBranding');
      await showPage(ctx, await find(ctx), { notice: doneNotices(t)[ctx.state.form.get('done') ?? ''] });
    },
    /** `POST /settings/branding`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const asked = ctx.state.form.get('do');
      if (asked === 'save') return save(ctx);
      if (asked !== 'remove-logo') return tools.goTo(ctx, brandingHref);
      await tools.run(ctx, 'deleteBrandingLogo');
      tools.goTo(ctx, `${brandingHref}?done=remove-logo`);
    },
    /** `POST /settings/branding/logo`: a file. */
    async putLogo(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      try {
        await tools.run(ctx, 'putBrandingLogo', { body: { data: ctx.state.form.get('file') ?? '' } });
      } catch (error) {
        if (!(error instanceof ProblemError) || error.problem !== problems.invalidRequest) throw error;
        return showPage(ctx, await find(ctx), {
          problem: t('branding.logoNotChanged', {
            message: saidIn(t.language, error.message) ?? error.message,
          }),
        });
      }
      tools.goTo(ctx, `${brandingHref}?done=logo`);
    },
  };

  async function find(ctx: PageContext): Promise<Found> {
    const { body, version } = await tools.run<ShownBranding>(ctx, 'readBranding');
    return { branding: body, version };
  }

  async function save(ctx: PageContext): Promise<void> {
    const found = await find(ctx);
    const typed = typedForm(ctx.state.form);
    const again = (shown: Shown) => showPage(ctx, found, { form: typed, ...shown });
    const change = changeOf(found.branding, typed);
    const answer = await forms.take(ctx, {
      change,
      fieldOf,
      again,
    });
    if (answer) tools.goTo(ctx, `${brandingHref}?done=${answer.isUnchanged ? 'unchanged' : 'saved'}`);
  }

  async function showPage(
    ctx: PageContext,
    { branding, version = '' }: Found,
    shown: Partial<BrandingModel>,
  ): Promise<void> {
    const html = renderBranding({
      frame: await tools.frame(ctx),
      branding,
      form: {
        name: branding.name ?? '',
        accent: branding.accent ?? '',
        language: branding.language ?? '',
      },
      ...forms.editState(ctx, { ...branding, owner: { kind: 'admin', source: null } }, version),
      ...shown,
    });
    const isWrong = shown.problem !== undefined || (shown.errors?.length ?? 0) > 0;
    tools.send(ctx, html, isWrong ? 400 : 200);
  }
}

function typedForm(form: Form): BrandingModel['form'] {
  const typed = (name: string) => form.get(name)?.trim() ?? '';
  return { name: typed('name'), accent: typed('accent'), language: typed('language') };
}

function changeOf(stored: ShownBranding, { name, accent, language }: BrandingModel['form']): TypedChange {
  const command = commandWith(
    ['installation', 'update'],
    [
      textDifference('name', stored.name, name || null),
      textDifference('accent', stored.accent, accent || null),
      textDifference('language', stored.language, language || null),
    ],
  );
  return {
    operation: 'updateBranding',
    body: { name: name || null, accent: accent || null, language: language || null },
    command,
    stored,
  };
}

function fieldOf(pointer: string): string | undefined {
  const name = pointer.slice(2);
  return fields.find((field) => field === name);
}
