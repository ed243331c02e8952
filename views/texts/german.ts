/** All texts in German, from their files. */

import { access } from './de/access/access.ts';
import { applications } from './de/access/applications.ts';
import { approvals } from './de/access/approvals.ts';
import { clients } from './de/access/clients.ts';
import { effectiveAccess } from './de/access/effective-access.ts';
import { history } from './de/access/history.ts';
import { identityProviders } from './de/access/identity-providers.ts';
import { roles } from './de/access/roles.ts';
import { sessions } from './de/access/sessions.ts';
import { users } from './de/access/users.ts';
import { account } from './de/account.ts';
import { common } from './de/common.ts';
import { frame } from './de/frame.ts';
import { settings } from './de/settings.ts';
import { signIn } from './de/sign-in.ts';
import type { english } from './english.ts';
import type { SameTexts } from './text-form.ts';

export const german: SameTexts<typeof english> = {
  ...signIn,
  ...common,
  ...frame,
  ...account,
  ...settings,
  ...access,
  ...users,
  ...sessions,
  ...history,
  ...roles,
  ...clients,
  ...applications,
  ...effectiveAccess,
  ...approvals,
  ...identityProviders,
};
