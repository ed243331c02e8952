/** What is said of calls in the tables of traffic. */

import { useText } from '../../texts/elements.tsx';
import { numberIn, type Translate, type WordKey } from '../../texts/text.ts';
import { clientHref } from '../access/clients.tsx';
import { memberHref } from '../cluster/members.tsx';
import { structureHref } from '../cluster/structures.tsx';
import { OpenLink } from '../history/open-link.tsx';
import { ListId } from '../list-id.tsx';
import { State, type StateKind } from '../state.tsx';

/** With three digits that say something. */
export function shortly(value: number, { language }: Translate): string {
  return numberIn(language, value, { maximumSignificantDigits: 3 });
}

interface CalledPlace {
  readonly method: string;
  readonly structure: string | null;
  readonly route: string | null;
}

export function whatOf({ method, structure, route }: CalledPlace, t: Translate): string {
  return `${method} ${structure ?? route ?? t('traffic.anotherPath')}`;
}

const nobody: Readonly<Record<string, WordKey>> = {
  client: 'traffic.nobodyKnown',
  structure: 'traffic.neither',
  member: 'traffic.noMemberAsked',
};

/** What is called so, leading to its page. */
export function Named({ name, id }: { readonly name: string; readonly id: string | null }) {
  const t = useText();
  if (id === null) return <span class="muted">{t(nobody[name] ?? 'common.none')}</span>;
  if (name === 'status') return <Status status={Number(id)} />;
  return (
    <OpenLink href={pageOf(name, id)}>
      <ListId>{id}</ListId>
    </OpenLink>
  );
}

function pageOf(name: string, id: string): string {
  if (name === 'client') return clientHref(id);
  if (name === 'member') return memberHref(id);
  const at = id.indexOf(':');
  return structureHref(id.slice(0, at) === 'queue' ? 'queue' : 'map', id.slice(at + 1));
}

export function Status({ status }: { readonly status: number }) {
  const t = useText();
  const [kind, word]: readonly [StateKind, string] =
    status === 0
      ? ['off', t('traffic.callerLeft')]
      : status >= 500
        ? ['danger', String(status)]
        : status >= 400
          ? ['warn', String(status)]
          : ['ok', String(status)];
  return <State kind={kind}>{word}</State>;
}

/** How many, leading to which. */
export function Narrow({ to, count }: { readonly to: string | undefined; readonly count: number }) {
  const { language } = useText();
  const shown = numberIn(language, count);
  return to === undefined || count === 0 ? <span>{shown}</span> : <a href={to}>{shown}</a>;
}
