/** How applications of well-known frameworks are registered, and what is pasted into theirs. */
import type { Snippet } from '../../../views/management/snippets.tsx';
import type { Translate, WordKey } from '../../../views/texts/text.ts';

export interface Addresses {
  readonly redirectUris: readonly string[];
  readonly postLogoutUris: readonly string[];
  readonly backchannelLogoutUri: string | null;
}

export interface Preset {
  /** In the address. */
  readonly id: string;
  /** A name that is the same in every language, or a word. */
  readonly label: string | { readonly key: WordKey };
  readonly meaning: WordKey;
  /** Keeps no secret: it runs in a browser. */
  readonly isPublic: boolean;
  /** From the address under which people reach it, without a slash at its end; absent where the addresses are typed. */
  readonly addressesAt?: (url: string) => Addresses;
}

const spring: Preset = {
  id: 'spring',
  label: 'Spring Boot',
  meaning: 'applications.spring',
  isPublic: false,
  addressesAt: (url) => ({
    redirectUris: [`${url}/login/oauth2/code/console`],
    postLogoutUris: [`${url}/`],
    backchannelLogoutUri: `${url}/logout/connect/back-channel/console`,
  }),
};
const browser: Preset = {
  id: 'browser',
  label: { key: 'applications.browser' },
  meaning: 'applications.browserMeaning',
  isPublic: true,
  addressesAt: (url) => ({
    redirectUris: [`${url}/callback`],
    postLogoutUris: [`${url}/`],
    backchannelLogoutUri: null,
  }),
};
const apache: Preset = {
  id: 'apache',
  label: 'Apache',
  meaning: 'applications.apache',
  isPublic: false,
  addressesAt: (url) => ({
    redirectUris: [`${url}/private/callback`],
    postLogoutUris: [`${url}/`],
    backchannelLogoutUri: `${url}/private/callback?logout=backchannel`,
  }),
};
const other: Preset = {
  id: 'other',
  label: { key: 'applications.other' },
  meaning: 'applications.otherMeaning',
  isPublic: false,
};

export const presets: readonly [Preset, ...Preset[]] = [spring, browser, apache, other];

export function presetNamed(id: string | undefined): Preset | undefined {
  return presets.find((preset) => preset.id === id);
}

interface SnippetApplication {
  readonly id: string;
  readonly isPublic: boolean;
  readonly redirectUris: readonly string[];
  readonly postLogoutUris: readonly string[];
  readonly scopes: readonly string[];
}

/** Settings to paste, complete but for the secret. @param origin  of this console */
export function settingsFor(
  origin: string,
  application: SnippetApplication,
  t: Translate,
): readonly Snippet[] {
  const data = { origin, ...application, scope: application.scopes.join(' ') };
  return [
    ...(application.isPublic ? [browserSettings(data)] : [springSettings(data), apacheSettings(data)]),
    { language: t('applications.anyOther'), text: anySettings(data) },
  ];
}

interface SnippetData extends SnippetApplication {
  readonly origin: string;
  readonly scope: string;
}

function springSettings({ origin, id, scopes }: SnippetData): Snippet {
  const text = `spring:
  security:
    oauth2:
      client:
        registration:
          console:
            client-id: ${id}
            client-secret: \${CLIENT_SECRET}
            scope: ${scopes.join(', ')}
        provider:
          console:
            issuer-uri: ${origin}
            user-name-attribute: preferred_username`;
  return { language: 'Spring Boot', text };
}

function browserSettings({ origin, id, scope, redirectUris, postLogoutUris }: SnippetData): Snippet {
  const text = `import { UserManager } from 'oidc-client-ts';
const users = new UserManager({
  authority: ${JSON.stringify(origin)},
  client_id: ${JSON.stringify(id)},
  redirect_uri: ${JSON.stringify(redirectUris[0] ?? '')},
  post_logout_redirect_uri: ${JSON.stringify(postLogoutUris[0] ?? '')},
  scope: ${JSON.stringify(scope)},
});
await users.signinRedirect();`;
  return { language: 'oidc-client-ts', text };
}

function apacheSettings({ origin, id, scope, redirectUris }: SnippetData): Snippet {
  const text = `OIDCProviderMetadataURL ${origin}/.well-known/openid-configuration
OIDCClientID ${id}
OIDCClientSecret "the secret"
OIDCCryptoPassphrase "a secret of its own: openssl rand -hex 32"
OIDCRedirectURI ${redirectUris[0] ?? ''}
OIDCScope "${scope}"
OIDCPKCEMethod S256
OIDCRemoteUserClaim preferred_username
<Location /private>
  AuthType openid-connect
  Require valid-user
</Location>`;
  return { language: 'Apache', text };
}

function anySettings({ origin, id, isPublic, scope, redirectUris }: SnippetData): string {
  return `issuer         ${origin}
discovery      ${origin}/.well-known/openid-configuration
client ID      ${id}
client secret  ${isPublic ? 'none: PKCE' : 'the secret'}
scopes         ${scope}
redirect URI   ${redirectUris.join('\n               ')}`;
}
