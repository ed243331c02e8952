import { Form } from './elements/form.tsx';
import { Section } from './elements/section.tsx';
import { type Theme, usePresentation } from './presentation.ts';

interface AccountDisplayProps {
  /** Takes `theme`, `zone` and `csrf`. */
  readonly action: string;
  readonly csrf: string;
  /** That can be chosen. */
  readonly zones: readonly string[];
}

const themes: Readonly<Record<Theme, string>> = {
  system: 'As the system has it',
  light: 'Light',
  dark: 'Dark',
};

/** How pages are shown in this browser. */
export function AccountDisplay({ action, csrf, zones }: AccountDisplayProps) {
  const { theme, zone } = usePresentation();
  return (
    <Section id="display" title="Display" about="How pages look in this browser, before a sign-in too.">
      <Form action={action} hidden={{ csrf }} class="boxed padded">
        <div class="field">
          <label for="theme">Theme</label>
          <select id="theme" name="theme">
            {Object.entries(themes).map(([value, label]) => (
              <option key={value} value={value} selected={value === theme}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="zone">Time zone</label>
          <select id="zone" name="zone">
            <option value="">As the browser has it</option>
            {zones.map((name) => (
              <option key={name} value={name} selected={name === zone}>
                {name.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </div>
        <div class="actions">
          <button type="submit" class="button primary">
            Save display
          </button>
        </div>
      </Form>
    </Section>
  );
}
