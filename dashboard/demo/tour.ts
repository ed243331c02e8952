export interface TourFacts {
  readonly consoleUrl: string;
  readonly dashboardUrl: string;
  readonly people: readonly { readonly name: string; readonly role: string; readonly password: string }[];
}

/** What the terminal shows; the passwords are made up for this run and shown this once. */
export function tour({ consoleUrl, dashboardUrl, people }: TourFacts): string {
  const accounts = people.map(({ name, role, password }) => `       ${name.padEnd(6)} ${password}   ${role}`);
  return `
  console    ${consoleUrl}
  dashboard  ${dashboardUrl}, watching a queue that fills and drains every minute

  1  Open ${dashboardUrl} and sign in. The console asks for the password:

${accounts.join('\n')}

  2  Open ${consoleUrl} in the same browser: you are signed in there too. Sign in as
     somebody else in a private window, and see what another role leaves out.

  3  Sign out at either, and look at the other: you are out of both.

  Ctrl-C stops everything and leaves nothing behind.

demo ready at ${dashboardUrl}
`;
}
