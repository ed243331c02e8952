/** Why something was refused or failed: entries of the audit have a code, and people read words. */

import { useText } from '../../texts/elements.tsx';
import { english } from '../../texts/english.ts';
import { saidIn, type Translate, type WordKey } from '../../texts/text.ts';
import { Id } from '../detail.tsx';

type ReasonKey = Extract<WordKey, `reason.${string}`>;

/** @returns undefined where it is a sentence, or a code of another version */
function wordsOf(code: string, t: Translate): string | undefined {
  const key = `reason.${code}`;
  if (Object.hasOwn(english, key)) return t(key as ReasonKey);
  const [, status] = /^status_(\d{3})$/.exec(code) ?? [];
  return status === undefined ? undefined : t('reason.status', { status });
}

/** @returns the reason itself where nobody has words for it: some entries have a sentence there */
export function reasonName(reason: string, t: Translate): string {
  return wordsOf(reason, t) ?? saidIn(t.language, reason) ?? reason;
}

interface ReasonProps {
  /** The permission that would have opened it. */
  readonly missing: string | null;
  readonly reason: string | null;
}

/** In one line of text. */
export function whyOf({ missing, reason }: ReasonProps, t: Translate): string {
  if (missing !== null) return t('reason.missing', { permission: missing });
  return reason === null ? '' : reasonName(reason, t);
}

/** Of a row; the code is on hover, and on the page of the entry. */
export function Why({ missing, reason }: ReasonProps) {
  const t = useText();
  const isCode = reason !== null && wordsOf(reason, t) !== undefined;
  return <bdi title={isCode ? reason : undefined}>{whyOf({ missing, reason }, t)}</bdi>;
}

/** With the code behind the words: exports and the API are searched by it. */
export function Reason({ reason }: { readonly reason: string }) {
  const t = useText();
  if (wordsOf(reason, t) === undefined) return <bdi>{reasonName(reason, t)}</bdi>;
  return (
    <>
      {reasonName(reason, t)} (<Id>{reason}</Id>)
    </>
  );
}
