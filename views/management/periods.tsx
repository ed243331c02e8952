import { useText } from '../texts/elements.tsx';

export interface PeriodsModel {
  /** Label of the one that is shown. */
  readonly period: string;
  readonly periods: readonly { readonly label: string; readonly href: string }[];
}

/** Of which time numbers are shown. */
export function Periods({ period, periods }: PeriodsModel) {
  const t = useText();
  return (
    <nav class="periods" aria-label={t('common.period')}>
      {periods.map(({ label, href }) => (
        <a key={href} href={href} aria-current={label === period ? 'true' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
