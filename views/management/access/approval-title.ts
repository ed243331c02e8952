/** What a change is called, by the operation that makes it: `updateRole` of Keeper is "Update role Keeper". */
import type { Translate, WordKey } from '../../texts/text.ts';

interface Changed {
  /** Id of the operation. */
  readonly operation: string;
  readonly target: string | null;
}

export function approvalTitle({ operation, target }: Changed, t: Translate): string {
  const [, verb = '', noun = ''] = /^([a-z]+)([A-Z]\w*)$/.exec(operation) ?? [];
  const whole = wholes[operation];
  if (whole && target !== null) return t(whole, { what: target });
  if (operation === 'endAllSessions') return t('sessions.endAll');
  if (!verbs[verb] || !nouns[noun]) return spelt({ operation, target });
  const what = [t(nouns[noun]), ...(target === null ? [] : [target])].join(' ');
  const title = t(verbs[verb], { what });
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
}

/** Where nobody has said it in words. */
function spelt({ operation, target }: Changed): string {
  const words = operation.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${target === null ? '' : ` ${target}`}`;
}

type VerbKey =
  | 'change.create'
  | 'change.update'
  | 'change.put'
  | 'change.replace'
  | 'change.delete'
  | 'change.enable'
  | 'change.disable'
  | 'change.invite'
  | 'change.test'
  | 'change.try'
  | 'change.resetPassword'
  | 'change.endUserSessions';

const verbs: Readonly<Record<string, VerbKey>> = {
  create: 'change.create',
  update: 'change.update',
  put: 'change.put',
  replace: 'change.replace',
  delete: 'change.delete',
  enable: 'change.enable',
  disable: 'change.disable',
  invite: 'change.invite',
  test: 'change.test',
  try: 'change.try',
};

const nouns: Readonly<Record<string, WordKey>> = {
  Client: 'change.client',
  ClientSecret: 'change.clientSecret',
  Application: 'change.application',
  ApplicationSecret: 'change.applicationSecret',
  IdentityProvider: 'change.identityProvider',
  Role: 'change.role',
  User: 'change.user',
  Elevation: 'change.elevation',
  Backup: 'change.backup',
  Import: 'change.import',
};

const wholes: Readonly<Record<string, VerbKey>> = {
  resetUserPassword: 'change.resetPassword',
  endUserSessions: 'change.endUserSessions',
};
