/** What the suite's browser does at the console's pages, in the suite's own words: docs/conformance.md. */
import { alias, person, secretOf } from './subject.ts';

type Command = readonly (string | number)[];

interface Task {
  readonly task: string;
  readonly match: string;
  readonly optional?: true;
  readonly commands?: readonly Command[];
}

const button = 'button.primary';
const press: Command = ['click', 'css', button];

/** Waits for a text on the page, and keeps the page for a person to look at where the suite asks for that. */
function see(text: string, isOptional = false): Command {
  const update = isOptional ? 'update-image-placeholder-optional' : 'update-image-placeholder';
  return ['wait', 'xpath', '//*', 10, `(?s).*(${text}).*`, update];
}

/**
 * A plan's configuration.
 *
 * @param console   origin
 * @param clientId  of the client that the plan is about
 */
export function configuration(console: string, clientId: string): object {
  const [authorize, logout] = [`${console}/oauth2/authorize*`, `${console}/connect/logout*`];
  const { username, password } = person;
  const callback: Task = {
    task: 'be back at the application',
    match: '*/test/*/callback*',
    commands: [['wait', 'id', 'submission_complete', 10]],
  };
  const signIn: Task = {
    task: 'sign in',
    optional: true,
    match: `${console}/login/*`,
    commands: [
      ['text', 'name', 'username', username, 'optional'],
      ['text', 'name', 'password', password, 'optional'],
      press,
    ],
  };
  const confirm: Task = {
    task: 'confirm who it is',
    optional: true,
    match: `${console}/login/*`,
    commands: [see('Confirm it’s you', true), ['text', 'name', 'password', password], press],
  };
  // Asked with `prompt=consent`, also of an application that needs none.
  const allow: Task = {
    task: 'allow it',
    optional: true,
    match: `${console}/login/*`,
    commands: [press],
  };
  const asked = { match: authorize, tasks: [signIn, allow, callback] };
  const signOut = {
    match: logout,
    tasks: [
      { task: 'say yes', optional: true, match: logout, commands: [[...press, 'optional']] },
      // Who else is told is still said on a page when they do not answer at once.
      {
        task: 'go on',
        optional: true,
        match: `${console}/*`,
        commands: [
          ['wait', 'css', 'a.primary', 10],
          ['click', 'css', 'a.primary'],
        ],
      },
      { task: 'be back at the application', match: '*/test/*/post*' },
    ],
  };

  const page = (match: string, commands: readonly Command[]) => ({
    match,
    tasks: [{ task: 'read a page', match: `${console}/*`, commands }],
  });
  const rejectedRequest = (text: string) => ({ browser: [page(authorize, [see(text)])] });
  const again = {
    browser: [
      { ...asked, 'match-limit': 1 },
      { match: authorize, tasks: [confirm, allow, callback] },
    ],
  };
  const rejectedLogout = (text: string) => ({ browser: [asked, page(logout, [see(text)])] });
  const confirmedLogout = { browser: [asked, page(logout, [press, see('You are signed out')])] };
  const notRegistered = rejectedRequest('address to go back to is not registered');
  const nowhereToGo = rejectedLogout('post_logout_redirect_uri is not registered');

  return {
    alias,
    description: `Cluster Console, client ${clientId}`,
    server: { discoveryUrl: `${console}/.well-known/openid-configuration` },
    client: credentials(clientId),
    client_secret_post: credentials('post'),
    client2: credentials('second'),
    options: { browsercontrol_css_enable: false },
    browser: [asked, signOut],
    override: {
      'oidcc-prompt-login': again,
      'oidcc-max-age-1': again,
      'oidcc-ensure-registered-redirect-uri': notRegistered,
      'oidcc-ensure-request-object-with-redirect-uri': notRegistered,
      'oidcc-ensure-redirect-uri-in-authorization-request': rejectedRequest('redirect_uri'),
      'oidcc-redirect-uri-query-added': notRegistered,
      'oidcc-redirect-uri-query-mismatch': notRegistered,
      'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': nowhereToGo,
      'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': nowhereToGo,
      'oidcc-rp-initiated-logout-modified-id-token-hint': rejectedLogout('id_token_hint'),
      'oidcc-rp-initiated-logout-bad-id-token-hint': rejectedLogout('id_token_hint|not known here'),
      'oidcc-rp-initiated-logout-no-id-token-hint': rejectedLogout('Sign out\\?'),
      'oidcc-rp-initiated-logout-no-params': confirmedLogout,
      'oidcc-rp-initiated-logout-only-state': confirmedLogout,
      'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': rejectedLogout('You are signed out'),
    },
  };
}

function credentials(clientId: string) {
  return { client_id: clientId, client_secret: secretOf(clientId) };
}
