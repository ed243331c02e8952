/** Name, logo, colour and language of this installation. */

import { Form } from '../../elements/form.tsx';
import type { Language } from '../../elements/moment.ts';
import { renderDocument } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import { languages } from '../../texts/text.ts';
import { DetailPage, Part } from '../detail.tsx';
import { EditPart, type EditState } from '../forms/change-form.tsx';
import { SelectField, TextField } from '../forms/fields.tsx';
import type { FrameModel } from '../frame.tsx';

/** As the admin API has it. */
export interface ShownBranding {
  readonly name: string | null;
  readonly accent: string | null;
  readonly language: Language | null;
  readonly logo: { readonly mediaType: string; readonly bytes: number; readonly href: string } | null;
}

export interface BrandingModel extends EditState {
  readonly frame: FrameModel;
  readonly branding: ShownBranding;
  /** As typed. */
  readonly form: { readonly name: string; readonly accent: string; readonly language: string };
  readonly notice?: string | undefined;
  /** With the logo that was sent. */
  readonly problem?: string | undefined;
}

export const brandingHref = '/settings/branding';
export const logoHref = `${brandingHref}/logo`;

export function renderBranding(model: BrandingModel): string {
  return renderDocument(<Branding {...model} />, model.frame.presentation);
}

function Branding(model: BrandingModel) {
  const t = useText();
  const { frame, form, notice, problem } = model;
  return (
    <DetailPage
      frame={frame}
      path={[]}
      title={t('common.branding')}
      about={t('branding.whatEverybodySeesInstallation')}
      notice={notice}
      problem={problem}
    >
      <EditPart
        {...model}
        href={brandingHref}
        title={t('branding.nameAndColour')}
        about={t('branding.theyCountEveryPage')}
        fields={(errorOf) => (
          <>
            <TextField
              name="name"
              label={t('common.name')}
              hint={t('branding.suchAsProdEu')}
              isOptional
              value={form.name}
              error={errorOf('name')}
            />
            <TextField
              name="accent"
              label={t('branding.colour')}
              hint={t('branding.buttonsLinksSuchAs')}
              isOptional
              value={form.accent}
              error={errorOf('accent')}
            />
            <SelectField
              name="language"
              label={t('branding.language')}
              hint={t('branding.whereNobodyAsks')}
              value={form.language}
              error={errorOf('language')}
              options={[
                { value: '', label: t('branding.notSaid', { language: languages.en.name }) },
                ...Object.entries(languages).map(([value, { name }]) => ({ value, label: name })),
              ]}
            />
          </>
        )}
      />
      <Logo {...model} />
    </DetailPage>
  );
}

function Logo({ csrf, branding: { logo } }: BrandingModel) {
  const t = useText();
  return (
    <Part id="logo" title={t('branding.logo')} about={t('branding.pngSvgUp64')}>
      {logo && (
        <p>
          <img class="brand-logo large" src={logo.href} alt={t('branding.logoAsNow')} />
        </p>
      )}
      <Form action={logoHref} hidden={{ csrf, do: 'logo' }} isUpload>
        <div class="field">
          <label for="file">{t('branding.file')}</label>
          <input id="file" name="file" type="file" accept=".png,.svg,image/png,image/svg+xml" required />
        </div>
        <div class="actions">
          <button type="submit" class="button primary">
            {logo ? t('branding.replaceLogo') : t('branding.setLogo')}
          </button>
        </div>
      </Form>
      {logo && (
        <Form action={brandingHref} hidden={{ csrf, do: 'remove-logo' }}>
          <div class="actions">
            <button type="submit" class="button">
              {t('branding.removeLogo')}
            </button>
          </div>
        </Form>
      )}
    </Part>
  );
}
