/** What several pages of Access say, in English. */
import type { Texts } from '../../text-form.ts';

export const access = {
  'access.saved': 'Saved.',
  'access.putBack': 'Put back.',
  'access.status': 'Status',
  'access.enable': 'Enable',
  'access.disable': 'Disable',
  'access.enabled': 'Enabled',
  'access.disabled': 'Disabled',
  'access.remove': 'Remove',
  'access.added': 'Added',
  'access.role': 'Role',
  'access.reason': 'Reason',
  'access.user': 'User',
  'access.application': 'Application',
  'access.outcome': 'Outcome',
  'access.act': 'Act',
  'access.copy': 'Copy',
  'access.copied': 'Copied',
  'access.passwordOfConsole': 'A password of this console',
  'access.openSessions': 'Open sessions',
} as const satisfies Texts;
