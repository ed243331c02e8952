/** All texts in English, from their files. The keys of these are what pages ask for. */

import { account } from './en/account.ts';
import { clusterOperations } from './en/cluster-operations.ts';
import { common } from './en/common.ts';
import { cp } from './en/cp.ts';
import { frame } from './en/frame.ts';
import { members } from './en/members.ts';
import { numbers } from './en/numbers.ts';
import { audit } from './en/observe/audit.ts';
import { decision } from './en/observe/decision.ts';
import { health } from './en/observe/health.ts';
import { jobs } from './en/observe/jobs.ts';
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
  ...account,
  ...settings,
  ...search,
  ...traffic,
  ...jobs,
  ...health,
  ...decision,
  ...audit,
  ...numbers,
  ...overview,
  ...clusterOperations,
  ...wan,
  ...structures,
  ...members,
  ...cp,
} as const;

export type TextKey = keyof typeof english;
