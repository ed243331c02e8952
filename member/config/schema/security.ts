import { z } from 'zod';
import { section, text } from './parts.ts';

const realm = section({
  name: text,
  authentication: section({
    simple: section({
      users: z.array(section({ username: text, password: text })).optional(),
    }).optional(),
  }).optional(),
  identity: section({
    'username-password': section({ username: text, password: text }).optional(),
  }).optional(),
});

/** Only a realm with users can let somebody in: security without one would lock all out, or nobody. */
export const security = section({
  enabled: z.boolean().optional(),
  realms: z.array(realm).optional(),
  'member-authentication': section({ realm: text }).optional(),
}).superRefine((value, context) => {
  const refuse = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  const realms = value.realms ?? [];
  for (const [index, { name }] of realms.entries()) {
    if (realms.findIndex((other) => other.name === name) < index) {
      refuse(['realms', index, 'name'], `a second realm named ${JSON.stringify(name)}`);
    }
  }
  for (const [index, one] of realms.entries()) {
    const users = one.authentication?.simple?.users ?? [];
    for (const [position, { username }] of users.entries()) {
      if (users.findIndex((other) => other.username === username) < position) {
        const path = ['realms', index, 'authentication', 'simple', 'users', position, 'username'];
        refuse(path, `a second user named ${JSON.stringify(username)}`);
      }
    }
  }
  const chosen = value['member-authentication']?.realm;
  const found = realms.find(({ name }) => name === chosen);
  if (chosen !== undefined && found === undefined) {
    refuse(['member-authentication', 'realm'], `no realm is named ${JSON.stringify(chosen)}`);
  }
  if (value.enabled && (found?.authentication?.simple?.users ?? []).length === 0 && !(chosen && !found)) {
    refuse(
      chosen ? ['member-authentication', 'realm'] : ['enabled'],
      'security needs member-authentication.realm to name a realm with authentication.simple.users',
    );
  }
});
