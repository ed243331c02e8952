/** What machine clients and applications have in common: whether they are enabled, and their secrets. */
import type { ComponentChildren } from 'preact';
import { Form } from '../../elements/form.tsx';
import { Ago, dateOf } from '../ago.tsx';
import { Copyable } from '../copyable.tsx';
import { Part } from '../detail.tsx';
import { Table } from '../list.tsx';
import { State } from '../state.tsx';

export interface ShownSecret {
  readonly id: string;
  readonly createdAt: string | null;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
}

export function ClientState({ status }: { readonly status: 'active' | 'disabled' }) {
  return status === 'active' ? <State kind="ok">Enabled</State> : <State kind="off">Disabled</State>;
}

export function NewSecret({ secret }: { readonly secret: string }) {
  return (
    <Part id="secret" title="Secret" about="It is shown here once: put it where the program reads it.">
      <Copyable>
        <code class="secret">{secret}</code>
      </Copyable>
    </Part>
  );
}

interface FirstActsProps {
  readonly client: { readonly status: 'active' | 'disabled'; readonly isPublic?: boolean };
  readonly href: string;
  readonly csrf: string;
  readonly mayChange: boolean;
  readonly children?: ComponentChildren;
}

/** Beside the title. */
export function ClientActs({
  client: { status, isPublic },
  href,
  csrf,
  mayChange,
  children,
}: FirstActsProps) {
  return (
    <>
      {children}
      {mayChange && (
        <>
          {!isPublic && (
            <a class="button" href={`${href}?do=rotate`}>
              Rotate secret
            </a>
          )}
          <Form action={href} hidden={{ csrf, do: status === 'active' ? 'disable' : 'enable' }}>
            <button type="submit" class="button">
              {status === 'active' ? 'Disable' : 'Enable'}
            </button>
          </Form>
        </>
      )}
    </>
  );
}

interface SecretsProps {
  readonly secrets: readonly ShownSecret[];
  /** Of their client. */
  readonly href: string;
  readonly now: Date;
  readonly mayChange: boolean;
}

export function Secrets({ secrets, href, now, mayChange }: SecretsProps) {
  return (
    <Part
      id="secrets"
      title="Secrets"
      about="At most two are good at the same time, while callers move over."
    >
      {secrets.length === 0 ? (
        <p class="empty">It has no secret, and so gets no token.</p>
      ) : (
        <Table
          title="Secrets"
          columns={[
            { title: 'Id' },
            { title: 'Added' },
            { title: 'Last used' },
            { title: 'Ends' },
            { title: 'Act' },
          ]}
          rows={secrets.map((secret) => ({
            key: secret.id,
            cells: [
              <bdi key="id" class="code">
                {secret.id}
              </bdi>,
              <Ago key="added" at={dateOf(secret.createdAt)} now={now} never="With the settings" />,
              <Ago key="used" at={dateOf(secret.lastUsedAt)} now={now} />,
              <Ago key="ends" at={dateOf(secret.expiresAt)} now={now} />,
              mayChange ? (
                <a key="end" href={`${href}?do=end-secret&secret=${encodeURIComponent(secret.id)}`}>
                  End<span class="unseen"> the secret {secret.id}</span>
                </a>
              ) : null,
            ],
          }))}
        />
      )}
    </Part>
  );
}
