import type { Translate } from './text.ts';

/** When something can be tried again. @param seconds  until then */
export function retryText(t: Translate, seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 120) return t('login.retryInSeconds', { n: whole });
  return t('login.retryInMinutes', { n: Math.ceil(whole / 60) });
}
