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
  const reject = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  const realms = value.realms ?? [];
  const rejectRepeated = (
    kind: string,
    names: readonly string[],
    pathOf: (at: number) => (string | number)[],
  ) => {
    for (const [at, name] of names.entries()) {
      if (names.indexOf(name) < at) reject(pathOf(at), `a second ${kind} named ${JSON.stringify(name)}`);
    }
  };
  rejectRepeated(
    'realm',
    realms.map(({ name }) => name),
    (at) => ['realms', at, 'name'],
  );
  for (const [index, { authentication }] of realms.entries()) {
    const users = (authentication?.simple?.users ?? []).map(({ username }) => username);
    const path = ['realms', index, 'authentication', 'simple', 'users'];
    rejectRepeated('user', users, (at) => [...path, at, 'username']);
  }
  const chosen = value['member-authentication']?.realm;
  const found = realms.find(({ name }) => name === chosen);
  if (chosen !== undefined && found === undefined) {
    reject(['member-authentication', 'realm'], `no realm is named ${JSON.stringify(chosen)}`);
  }
  if (value.enabled && (found?.authentication?.simple?.users ?? []).length === 0 && !(chosen && !found)) {
    reject(
      chosen ? ['member-authentication', 'realm'] : ['enabled'],
      'security needs member-authentication.realm to name a realm with authentication.simple.users',
    );
  }
});
