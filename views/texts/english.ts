/** All texts in English, from their files. The keys of these are what pages ask for. */

import { access } from './en/access/access.ts';
import { applications } from './en/access/applications.ts';
import { approvals } from './en/access/approvals.ts';
import { bulk } from './en/access/bulk.ts';
import { clients } from './en/access/clients.ts';
import { effectiveAccess } from './en/access/effective-access.ts';
import { history } from './en/access/history.ts';
import { identityProviders } from './en/access/identity-providers.ts';
import { roles } from './en/access/roles.ts';
import { sessions } from './en/access/sessions.ts';
import { users } from './en/access/users.ts';
import { account } from './en/account.ts';
import { clusterOperations } from './en/cluster-operations.ts';
import { common } from './en/common.ts';
import { cp } from './en/cp.ts';
import { data } from './en/data/data.ts';
import { editor } from './en/data/editor.ts';
import { figures } from './en/figures.ts';
import { frame } from './en/frame.ts';
import { memberConfig } from './en/member-config.ts';
import { members } from './en/members.ts';
import { numbers } from './en/numbers.ts';
import { audit } from './en/observe/audit.ts';
import { decision } from './en/observe/decision.ts';
import { events } from './en/observe/events.ts';
import { health } from './en/observe/health.ts';
import { jobs } from './en/observe/jobs.ts';
import { reasons } from './en/observe/reasons.ts';
import { search } from './en/observe/search.ts';
import { traffic } from './en/observe/traffic.ts';
import { overview } from './en/overview.ts';
import { settings } from './en/settings.ts';
import { signIn } from './en/sign-in.ts';
import { structures } from './en/structures.ts';
import { wan } from './en/wan.ts';

export const english = {
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
} as const;

export type TextKey = keyof typeof english;
