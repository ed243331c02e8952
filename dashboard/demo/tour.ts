import type { Person } from './people.ts';
import type { ProviderAccount } from './provider.ts';
import type { SamlAccount } from './saml-provider.ts';

export interface TourFacts {
  readonly consoleUrl: string;
  readonly dashboardUrl: string;
  readonly people: readonly Person[];
  readonly provider: Pick<ProviderAccount, 'name' | 'password'>;
  readonly partner: Pick<SamlAccount, 'name' | 'password'>;
  /** Base addresses: the first, the slow one, the one that goes and comes. */
  readonly memberUrls: readonly string[];
}

/** What the terminal shows; the passwords are made up for this run and shown this once. */
export function tour({ consoleUrl, dashboardUrl, people, provider, partner, memberUrls }: TourFacts): string {
  const accounts = people.map(({ name, role, password }) => `       ${name.padEnd(6)} ${password}   ${role}`);
  const [first, slow, restarting] = memberUrls.map((url) => new URL(url).host);
  return `
  console    ${consoleUrl}
  dashboard  ${dashboardUrl}, an application that people sign in to by the console
  members    ${first}, ${slow} (slow), ${restarting} (restarts now and then): for show,
             since one member holds the data behind all three

  1  Open ${consoleUrl} and sign in as ada. Look at what needs attention: machine client
     reporter is refused again and again. Open one refusal, and open the call for it.

${accounts.join('\n')}

  2  Look for orders/a1 by /, which is an entry that can be edited; or for billing, importer,
     grace, OrdersReader. Queue jobs fills and drains every minute, queue mails grows.

  3  Open ${dashboardUrl} in the same browser: you are signed in there too. Sign in as
     somebody else in a private window, and see what another role leaves out: vera, or by
     "Corporate account" as ${provider.name}, password ${provider.password}, or by
     "Partner account" as ${partner.name}, password ${partner.password}.

  4  Sign out at either, and look at the other: you are out of both.

  Ctrl-C stops everything and leaves nothing behind.

demo ready at ${dashboardUrl}
`;
}
