/** What the list and the page of identity providers say alike. */
import { Said, Text, useText } from '../../../texts/elements.tsx';
import { numberIn, type Translate, type WordKey } from '../../../texts/text.ts';
import { Ago } from '../../ago.tsx';
import type { Owner } from '../../forms/change-form.tsx';
import { State } from '../../state.tsx';

/** As the admin API has it. */
export interface ShownProvider {
  readonly id: string;
  /** false: nobody signs in by it, and `problem` says why. */
  readonly readable: boolean;
  readonly problem: string | null;
  readonly kind: ProviderKind | null;
  readonly name: string | null;
  readonly enabled: boolean;
  readonly roleRules: readonly string[];
  readonly defaultRole: string | null;
  readonly position: number | null;
  readonly callbackUrl: string | null;
  readonly testUrl: string | null;
  readonly settings: Readonly<Record<string, unknown>> | null;
  readonly linkedUsers: number;
  readonly lastSignInAt: string | null;
  readonly lastFailure: { readonly at: string; readonly reason: string } | null;
  readonly metadataReadAt: string | null;
  readonly metadataFailure: { readonly at: string; readonly reason: string } | null;
  readonly keysReadAt: string | null;
  readonly createdAt: string | null;
  readonly owner: Owner;
}

export type ProviderKind = 'oidc' | 'saml' | 'ldap';

export const kindNames: Readonly<Record<ProviderKind, WordKey>> = {
  oidc: 'providers.oidc',
  saml: 'providers.saml',
  ldap: 'providers.ldap',
};

export function kindOf({ kind }: ShownProvider, t: Translate): string {
  return kind === null ? t('access.unknown') : t(kindNames[kind]);
}

export function ProviderState({ readable, enabled }: ShownProvider) {
  const t = useText();
  if (!readable) return <State kind="danger">{t('providers.cannotBeRead')}</State>;
  if (enabled) return <State kind="ok">{t('access.enabled')}</State>;
  return <State kind="off">{t('access.disabled')}</State>;
}

export interface FailureProps {
  readonly at: string;
  readonly reason: string;
  readonly now: Date;
}

export function Failure({ at, reason, now }: FailureProps) {
  return (
    <Text
      id="providers.failureAt"
      gaps={{
        at: <Ago at={new Date(at)} now={now} />,
        why: (
          <bdi>
            <Said>{reason}</Said>
          </bdi>
        ),
      }}
    />
  );
}

export function LinkedUsers({ id, linkedUsers }: ShownProvider) {
  const t = useText();
  const number = numberIn(t.language, linkedUsers);
  return linkedUsers === 0 ? (
    <span>{number}</span>
  ) : (
    <a href={`/access/users?provider=${encodeURIComponent(id)}`}>{number}</a>
  );
}
