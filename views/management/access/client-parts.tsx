/** What machine clients and applications have in common: whether they are enabled, and their secrets. */

import type { ComponentChildren } from 'preact';
import { Text, useText } from '../../texts/elements.tsx';
import { Ago, dateOf } from '../ago.tsx';
import { Copyable } from '../copyable.tsx';
import { More, Part } from '../detail.tsx';
import { ListId } from '../list-id.tsx';
import { Table } from '../lists/table.tsx';
import { State } from '../state.tsx';
import { switchAct } from './switch.tsx';

export interface ShownSecret {
  readonly id: string;
  readonly createdAt: string | null;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  /** The newer one whose first use ends it. */
  readonly endsOnUseOf: string | null;
}

export function ClientState({ status }: { readonly status: 'active' | 'disabled' }) {
  const t = useText();
  if (status === 'active') return <State kind="ok">{t('access.enabled')}</State>;
  return <State kind="off">{t('access.disabled')}</State>;
}

export function NewSecret({ secret }: { readonly secret: string }) {
  const t = useText();
  return (
    <Part id="secret" title={t('clients.secret')} about={t('clients.shownOnce')}>
      <Copyable>
        <code class="secret">{secret}</code>
      </Copyable>
    </Part>
  );
}

interface FirstActsProps {
  /** It has no secret. */
  readonly isPublic?: boolean;
  readonly href: string;
  readonly mayChange: boolean;
  readonly children?: ComponentChildren;
}

/** Beside the title. */
export function ClientActs({ isPublic = false, href, mayChange, children }: FirstActsProps) {
  const t = useText();
  return (
    <>
      {children}
      {mayChange && !isPublic && (
        <a class="button" href={`${href}?do=rotate`}>
          {t('clients.rotateSecret')}
        </a>
      )}
    </>
  );
}

interface LastActsProps {
  readonly client: { readonly status: 'active' | 'disabled' };
  readonly href: string;
  readonly csrf: string;
}

/** At the end of the page. */
export function LastClientActs({ client: { status }, href, csrf }: LastActsProps) {
  const t = useText();
  return (
    <More
      acts={[
        switchAct({ isEnabled: status === 'active', href, csrf }, t),
        { label: t('access.remove'), href: `${href}?do=remove` },
      ]}
    />
  );
}

/** At a time, or with the use of another, whichever comes first. */
function SecretEnd({ expiresAt, endsOnUseOf, now }: ShownSecret & { readonly now: Date }) {
  const at = <Ago at={dateOf(expiresAt)} now={now} />;
  if (endsOnUseOf === null) return at;
  const used = <Text id="clients.endsWhenUsed" gaps={{ secret: <bdi class="code">{endsOnUseOf}</bdi> }} />;
  return expiresAt === null ? used : <Text id="clients.endsAtOrWhenUsed" gaps={{ at, used }} />;
}

interface SecretsProps {
  readonly client: {
    readonly secrets: readonly ShownSecret[];
    /** Where it proves itself by keys, it needs none. */
    readonly jwks?: object | null;
  };
  /** Of their client. */
  readonly href: string;
  readonly now: Date;
  readonly mayChange: boolean;
}

export function Secrets({ client: { secrets, jwks }, href, now, mayChange }: SecretsProps) {
  const t = useText();
  return (
    <Part id="secrets" title={t('clients.secrets')} about={t('clients.atMostTwo')}>
      {secrets.length === 0 ? (
        <p class="empty">{t(jwks ? 'clients.hasKeys' : 'clients.hasNoSecret')}</p>
      ) : (
        <Table
          title={t('clients.secrets')}
          columns={[
            { title: t('clients.id') },
            { title: t('access.added') },
            { title: t('access.lastUsed') },
            { title: t('clients.ends') },
            { title: t('access.act') },
          ]}
          rows={secrets.map((secret) => ({
            key: secret.id,
            cells: [
              <ListId key="id" class="code">
                {secret.id}
              </ListId>,
              <Ago key="added" at={dateOf(secret.createdAt)} now={now} never={t('access.withSettings')} />,
              <Ago key="used" at={dateOf(secret.lastUsedAt)} now={now} />,
              <SecretEnd key="ends" {...secret} now={now} />,
              mayChange ? (
                <a key="end" href={`${href}?do=end-secret&secret=${encodeURIComponent(secret.id)}`}>
                  <Text
                    id="clients.end"
                    gaps={{
                      ofWhich: <span class="unseen">{t('clients.theSecret', { id: secret.id })}</span>,
                    }}
                  />
                </a>
              ) : null,
            ],
          }))}
        />
      )}
    </Part>
  );
}
