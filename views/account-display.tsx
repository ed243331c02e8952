import { Form } from './elements/form.tsx';
import type { Language } from './elements/moment.ts';
import { Section } from './elements/section.tsx';
import { type Density, type Theme, usePresentation } from './presentation.ts';
import { useText } from './texts/elements.tsx';
import { languages, type Translate } from './texts/text.ts';

interface AccountDisplayProps {
  /** Takes `theme`, `density`, `zone`, `language` and `csrf`. */
  readonly action: string;
  readonly csrf: string;
  /** That can be chosen. */
  readonly zones: readonly string[];
  /** That was chosen; undefined: that of the browser. */
  readonly language: Language | undefined;
}

const themes = (t: Translate): Readonly<Record<Theme, string>> => ({
  system: t('account.asSystem'),
  light: t('account.light'),
  dark: t('account.dark'),
});

const densities = (t: Translate): Readonly<Record<Density, string>> => ({
  compact: t('account.compactRows'),
  roomy: t('account.roomyRows'),
});

/** How pages are shown in this browser. */
export function AccountDisplay({ action, csrf, zones, language }: AccountDisplayProps) {
  const t = useText();
  const { theme, density = 'compact', chosenZone } = usePresentation();
  return (
    <Section id="display" title={t('account.display')} about={t('account.howPagesLookBrowser')}>
      <Form action={action} hidden={{ csrf }} class="boxed padded">
        <div class="field">
          <label for="theme">{t('account.theme')}</label>
          <select id="theme" name="theme">
            {Object.entries(themes(t)).map(([value, label]) => (
              <option key={value} value={value} selected={value === theme}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="density">{t('account.density')}</label>
          <select id="density" name="density">
            {Object.entries(densities(t)).map(([value, label]) => (
              <option key={value} value={value} selected={value === density}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="language">{t('account.language')}</label>
          <select id="language" name="language">
            <option value="">{t('account.asBrowser')}</option>
            {Object.entries(languages).map(([value, { name }]) => (
              <option key={value} value={value} lang={value} selected={value === language}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="zone">{t('account.timeZone')}</label>
          <select id="zone" name="zone">
            <option value="">{t('account.asBrowser')}</option>
            {zones.map((name) => (
              <option key={name} value={name} selected={name === chosenZone}>
                {name.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </div>
        <div class="actions">
          <button type="submit" class="button primary">
            {t('account.saveDisplay')}
          </button>
        </div>
      </Form>
    </Section>
  );
}
