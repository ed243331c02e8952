/** Name, logo and colour of this installation. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { EditPart, type EditState } from '../change-form.tsx';
import { DetailPage, Part } from '../detail.tsx';
import { TextField } from '../fields.tsx';
import type { FrameModel } from '../frame.tsx';

/** As the admin API has it. */
export interface ShownBranding {
  readonly name: string | null;
  readonly accent: string | null;
  readonly logo: { readonly mediaType: string; readonly bytes: number; readonly href: string } | null;
}

export interface BrandingModel extends EditState {
  readonly frame: FrameModel;
  readonly branding: ShownBranding;
  /** As typed. */
  readonly form: { readonly name: string; readonly accent: string };
  readonly notice?: string | undefined;
  /** With the logo that was sent. */
  readonly problem?: string | undefined;
}

export const brandingHref = '/settings/branding';
export const logoHref = `${brandingHref}/logo`;

export function renderBranding(model: BrandingModel): string {
  const { frame, form, notice, problem } = model;
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[]}
      title="Branding"
      about="What everybody sees of this installation: in the bar of every page, and before a sign-in."
      notice={notice}
      problem={problem}
    >
      <EditPart
        {...model}
        href={brandingHref}
        title="Name and colour"
        about="They count for every page from the next one on."
        fields={(errorOf) => (
          <>
            <TextField
              name="name"
              label="Name"
              hint="Such as Prod-EU: up to 40 characters. Nothing: the name of the product."
              isOptional
              value={form.name}
              error={errorOf('name')}
            />
            <TextField
              name="accent"
              label="Colour"
              hint="Of buttons and links, such as #0f5a49. It must be readable on the light ground; for the dark one a lighter one follows from it."
              isOptional
              value={form.accent}
              error={errorOf('accent')}
            />
          </>
        )}
      />
      <Logo {...model} />
    </DetailPage>,
  );
}

function Logo({ csrf, branding: { logo } }: BrandingModel) {
  return (
    <Part
      id="logo"
      title="Logo"
      about="A PNG or an SVG of up to 64 KiB, shown 32 pixels high on white. Of an SVG only shapes, colours and text are kept: nothing that runs, loads or links."
    >
      {logo && (
        <p>
          <img class="brand-logo large" src={logo.href} alt="The logo as it is now" />
        </p>
      )}
      <Form action={logoHref} hidden={{ csrf, do: 'logo' }} isUpload>
        <div class="field">
          <label for="file">File</label>
          <input id="file" name="file" type="file" accept=".png,.svg,image/png,image/svg+xml" required />
        </div>
        <div class="actions">
          <button type="submit" class="button primary">
            {logo ? 'Replace logo' : 'Set logo'}
          </button>
        </div>
      </Form>
      {logo && (
        <Form action={brandingHref} hidden={{ csrf, do: 'remove-logo' }}>
          <div class="actions">
            <button type="submit" class="button">
              Remove logo
            </button>
          </div>
        </Form>
      )}
    </Part>
  );
}
