/** All texts in German, from their files. */

import { access } from './de/access/access.ts';
import { applications } from './de/access/applications.ts';
import { approvals } from './de/access/approvals.ts';
import { bulk } from './de/access/bulk.ts';
import { clients } from './de/access/clients.ts';
import { effectiveAccess } from './de/access/effective-access.ts';
import { history } from './de/access/history.ts';
import { identityProviders } from './de/access/identity-providers.ts';
import { roles } from './de/access/roles.ts';
import { sessions } from './de/access/sessions.ts';
import { users } from './de/access/users.ts';
import { account } from './de/account.ts';
import { clusterOperations } from './de/cluster-operations.ts';
import { common } from './de/common.ts';
import { cp } from './de/cp.ts';
import { data } from './de/data/data.ts';
import { editor } from './de/data/editor.ts';
import { figures } from './de/figures.ts';
import { frame } from './de/frame.ts';
import { memberConfig } from './de/member-config.ts';
import { members } from './de/members.ts';
import { numbers } from './de/numbers.ts';
import { audit } from './de/observe/audit.ts';
import { decision } from './de/observe/decision.ts';
import { events } from './de/observe/events.ts';
import { health } from './de/observe/health.ts';
import { jobs } from './de/observe/jobs.ts';
import { reasons } from './de/observe/reasons.ts';
import { search } from './de/observe/search.ts';
import { traffic } from './de/observe/traffic.ts';
import { overview } from './de/overview.ts';
import { settings } from './de/settings.ts';
import { signIn } from './de/sign-in.ts';
import { structures } from './de/structures.ts';
import { wan } from './de/wan.ts';
import type { english } from './english.ts';
import type { SameTexts } from './text-form.ts';

export const german: SameTexts<typeof english> = {
  ...signIn,
  ...common,
  ...frame,
  ...bulk,
  ...account,
  ...settings,
  ...search,
  ...traffic,
  ...jobs,
  ...health,
  ...decision,
  ...audit,
  ...events,
  ...reasons,
  ...memberConfig,
  ...editor,
  ...figures,
  ...numbers,
  ...overview,
  ...clusterOperations,
  ...wan,
  ...structures,
  ...data,
  ...members,
  ...cp,
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
