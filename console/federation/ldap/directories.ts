/** Directories behind the form of the sign-in page: asked in their order for who has no password here. */
import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../platform/log.ts';
import type { Directories } from '../../accounts/sign-in.ts';
import type { UserRecord } from '../../storage/records.ts';
import { AccountDisabledError, type Link } from '../account-linking.ts';
import { FederationError, type PasswordConnector } from '../connector.ts';
import { asProblemError } from '../errors.ts';
import type { ProviderUses } from '../provider-uses.ts';
import type { LiveProvider, Providers } from '../providers/providers.ts';

export interface DirectoriesDeps {
  readonly providers: Pick<Providers, 'directories'>;
  readonly link: Link;
  readonly uses: Pick<ProviderUses, 'signedIn' | 'failed'>;
  readonly log: Pick<Logger, 'warn'>;
}

type Directory = LiveProvider<PasswordConnector>;

export function createDirectories({ providers, link, uses, log }: DirectoriesDeps): Directories {
  return {
    async verify(username, password) {
      try {
        return await ask(username, password);
      } catch (error) {
        if (error instanceof AccountDisabledError) return undefined;
        throw asProblemError(error);
      }
    },
    async verifyNobody() {
      const [username, password] = [randomBytes(6).toString('hex'), randomBytes(12).toString('hex')];
      await ask(username, password).catch((error) => {
        throw asProblemError(error);
      });
    },
  };

  /** One that does not answer keeps nobody from signing in by the next one. */
  async function ask(username: string, password: string): Promise<UserRecord | undefined> {
    let silent: unknown;
    for (const directory of providers.directories()) {
      try {
        const identity = await directory.connector.verify(username, password);
        const today = identity && find(directory.id);
        if (!today) continue;
        const account = await link(today, identity);
        await uses.signedIn(directory.id);
        return account;
      } catch (error) {
        if (!(error instanceof AccountDisabledError)) await uses.failed(directory.id, error);
        if (!(error instanceof FederationError) || error.status !== 503) throw error;
        reportSilent(directory, error);
        silent = error;
      }
    }
    if (silent !== undefined) throw noAnswer(silent);
    return undefined;
  }

  /** As it is now: asking takes time, in which its rules may have changed, or it has been switched off. */
  function find(id: string): Directory | undefined {
    return providers.directories().find((directory) => directory.id === id);
  }

  function reportSilent({ id }: Directory, error: FederationError): void {
    log.warn({ provider: id, err: error.cause ?? error }, 'a directory did not answer a sign-in');
  }
}

/** The same for a name that is known here: who tries names learns nothing while a directory is away (S28). */
function noAnswer(cause: unknown): FederationError {
  return new FederationError(
    503,
    'The user name or the password is not one of this console, and a directory that may know them does not answer. Try again in a few minutes.',
    { cause },
  );
}
