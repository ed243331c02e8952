/** What can be done to many things of a list, in the words of its page. */

import type { TextKey } from '../../../views/texts/english.ts';
import type { GapOf, WordKey } from '../../../views/texts/text.ts';

export type BulkAct = AtOnceAct | AskedAct;

interface NamedAct {
  /** In the form, and in the address (`?do=`) of the page that asks. */
  readonly name: string;
  /** On one thing. */
  readonly operation: string;
  readonly label: WordKey;
  /** Verb, number and noun. */
  readonly title: CountedKey;
  /** What it means to them. */
  readonly effects: readonly WordKey[];
}

/** Can be undone: nothing is asked, and the message after it has Undo. */
export interface AtOnceAct extends NamedAct {
  readonly isAtOnce: true;
}

/** A page says whom it hits before it is done. */
export interface AskedAct extends NamedAct {
  readonly isAtOnce?: false;
  /** Words of the command that does it to one, before its id. */
  readonly command: readonly string[];
  /** What it means where the reader's own account, or session, is among them. */
  readonly own?: WordKey;
  /** Cannot be undone: wants a typed word, and a sign-in of late. */
  readonly isDangerous?: boolean;
}

/** Of texts with one number in them. */
type CountedKey = {
  [K in TextKey]: GapOf<K> extends 'n' ? ('n' extends GapOf<K> ? K : never) : never;
}[TextKey];

const gone: WordKey = 'access.cannotBeUndone';

export const bulkActs = {
  users: [
    {
      name: 'disable',
      operation: 'disableUser',
      label: 'access.disable',
      title: 'bulk.disableUsers',
      effects: ['bulk.usersCannotSignIn'],
      isAtOnce: true,
    },
    {
      name: 'enable',
      operation: 'enableUser',
      label: 'access.enable',
      title: 'bulk.enableUsers',
      effects: ['bulk.usersCanSignIn'],
      isAtOnce: true,
    },
    {
      name: 'end-sessions',
      operation: 'endUserSessions',
      label: 'users.endSessions',
      title: 'bulk.endUserSessions',
      effects: ['bulk.usersSignedOut'],
      own: 'bulk.ownSessions',
      command: ['user', 'end-sessions'],
    },
    {
      name: 'remove',
      operation: 'deleteUser',
      label: 'access.remove',
      title: 'bulk.removeUsers',
      effects: ['bulk.usersGone', gone],
      own: 'bulk.ownAccount',
      command: ['user', 'remove'],
      isDangerous: true,
    },
  ],
  clients: [
    {
      name: 'disable',
      operation: 'disableClient',
      label: 'access.disable',
      title: 'bulk.disableClients',
      effects: ['bulk.clientsRefused'],
      isAtOnce: true,
    },
    {
      name: 'enable',
      operation: 'enableClient',
      label: 'access.enable',
      title: 'bulk.enableClients',
      effects: ['bulk.clientsWork'],
      isAtOnce: true,
    },
    {
      name: 'remove',
      operation: 'deleteClient',
      label: 'access.remove',
      title: 'bulk.removeClients',
      effects: ['bulk.clientsGone', gone],
      command: ['client', 'remove'],
      isDangerous: true,
    },
  ],
  applications: [
    {
      name: 'disable',
      operation: 'disableApplication',
      label: 'access.disable',
      title: 'bulk.disableApplications',
      effects: ['bulk.applicationsRefused'],
      isAtOnce: true,
    },
    {
      name: 'enable',
      operation: 'enableApplication',
      label: 'access.enable',
      title: 'bulk.enableApplications',
      effects: ['bulk.applicationsWork'],
      isAtOnce: true,
    },
    {
      name: 'remove',
      operation: 'deleteApplication',
      label: 'access.remove',
      title: 'bulk.removeApplications',
      effects: ['bulk.applicationsGone', gone],
      command: ['client', 'remove'],
      isDangerous: true,
    },
  ],
  roles: [
    {
      name: 'remove',
      operation: 'deleteRole',
      label: 'access.remove',
      title: 'bulk.removeRoles',
      effects: ['bulk.rolesGone', gone],
      command: ['role', 'remove'],
      isDangerous: true,
    },
  ],
  sessions: [
    {
      name: 'end',
      operation: 'endSession',
      label: 'users.endSessions',
      title: 'bulk.endSessions',
      effects: ['bulk.sessionsEnd'],
      own: 'bulk.ownSession',
      command: ['session', 'end'],
    },
  ],
} as const satisfies Readonly<Record<string, readonly BulkAct[]>>;

/** Lists of which many can be acted on. */
export type BulkList = keyof typeof bulkActs;
