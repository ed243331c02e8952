/** What an operator does about a warning of the settings: it begins with the name of the one that is meant. */
interface Repair {
  /** In words. */
  readonly fix: string;
  /** The command line that does it, or says more. */
  readonly command?: string;
}

const fixes: Readonly<Record<string, string>> = {
  CONSOLE_URL: 'Set CONSOLE_URL to an https address; docs/operations.md says how to serve it.',
  CONSOLE_TLS_CERT: 'Renew the certificate in CONSOLE_TLS_CERT, and restart the console.',
  CONSOLE_HOST: 'Unset CONSOLE_HOST, or set an https CONSOLE_URL with CONSOLE_TLS_CERT and CONSOLE_TLS_KEY.',
  CONSOLE_MEMBERS: 'Name the members of the cluster in CONSOLE_MEMBERS, the same at each console.',
  CONSOLE_APPLICATION_CLIENT_SECRET:
    'Set CONSOLE_APPLICATION_CLIENT_SECRET="$(openssl rand -hex 24)", for its callers too.',
};

const repairs: Readonly<Record<string, Required<Repair>>> = {
  CONSOLE_ENCRYPTION_KEY: {
    fix: 'Set CONSOLE_ENCRYPTION_KEY="$(openssl rand -base64 32)", keep it elsewhere, restart, then replace the signing keys at once.',
    command: 'npx console keys rotate --now',
  },
};

/** @param warning  that begins with the name of a setting. @returns that name, in the environment */
export function settingOf(warning: string): string {
  return warning.split(' ')[0]!;
}

/** @param warning  that begins with the name of a setting. @returns what its operator does about it */
export function repairOf(warning: string): Repair {
  const name = settingOf(warning);
  const fix = fixes[name];
  if (fix !== undefined) return { fix };
  return repairs[name] ?? { fix: `Correct ${name} where it was set.`, command: 'npx console settings' };
}

/** The same in one sentence, for a terminal. */
export function fixOf(warning: string): string {
  const name = settingOf(warning);
  const { fix, command } = repairOf(warning);
  if (command === undefined) return fix;
  if (repairs[name]) return fix.replace('replace the signing keys at once.', command);
  return `Correct ${name}: ${command} shows where it comes from.`;
}
