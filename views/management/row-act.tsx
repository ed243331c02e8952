/** What is done most to what stands in a row, as a button. */

import { Form } from '../elements/form.tsx';
import { safeHref } from '../elements/href.ts';
import { Link } from '../elements/link.tsx';
import { exactText } from '../elements/moment.ts';
import { usePresentation } from '../presentation.ts';
import { useText } from '../texts/elements.tsx';

interface RowActProps {
  readonly label: string;
  /** What it acts on: the row says it to who sees the row, the name of the button to everybody else. */
  readonly of: string;
  /** Tells it apart where several of one name may stand in a list. */
  readonly since?: Date;
  /** That of its page. */
  readonly href: string;
  /** What its page does. */
  readonly act: string;
  /** What else the page that asks has in its address. */
  readonly query?: Readonly<Record<string, string>>;
  /** Of what is done at once; absent: the page asks first. */
  readonly csrf?: string;
  /** The same where parts of the page are sent anew to many readers: the form beside them that holds what is this reader's. */
  readonly form?: string;
}

export function RowAct({ label, of, since, href, act, query, csrf, form }: RowActProps) {
  const t = useText();
  const { zone } = usePresentation();
  const which = since ? `${of}, ${exactText(since, zone)}` : of;
  const name = t('frame.rowActOf', { act: label, of: which });
  if (form !== undefined)
    return (
      <button type="submit" class="button" form={form} formAction={safeHref(href)} aria-label={name}>
        {label}
      </button>
    );
  if (csrf === undefined)
    return (
      <Link href={`${href}?${new URLSearchParams({ do: act, ...query })}`} class="button" name={name}>
        {label}
      </Link>
    );
  return (
    <Form action={href} hidden={{ csrf, do: act }}>
      <button type="submit" class="button" aria-label={name}>
        {label}
      </button>
    </Form>
  );
}

/** The same as a link among the cells of a row, of which it may have several. */
export function RowLink({ label, of, href }: Pick<RowActProps, 'label' | 'of' | 'href'>) {
  const t = useText();
  return (
    <Link href={href} name={t('frame.rowActOf', { act: label, of })}>
      {label}
    </Link>
  );
}
