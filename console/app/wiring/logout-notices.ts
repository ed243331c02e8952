/** Notices of ended sessions, with this console's keys, audit and way out. */
import { randomUUID } from 'node:crypto';
import { createLogoutNotices, type LogoutNotices } from '../../logout/logout-notices.ts';
import { createLogoutToken } from '../../logout/logout-token.ts';
import type { Shared } from './shared.ts';

/** They are sent from now on. */
export function composeLogoutNotices({ services, audit, log }: Shared): LogoutNotices {
  const { settings, keys, clients, outbound, logoutOutbox: outbox, now } = services;
  const notices = createLogoutNotices({
    outbox,
    clients,
    outbound,
    signLogoutToken: createLogoutToken({ issuer: settings.url, keys, newId: randomUUID, now }),
    audit,
    onError: (error) => log.error({ err: error }, 'a logout notice failed'),
    now,
  });
  notices.start();
  return notices;
}
