/** Every operation: the API, its description, the commands, files of configuration and the tests of bad input come from it. */
import type { Operation } from '../operations/operation.ts';
import { type ProviderNeeds, providerOperations } from './identity-providers.ts';
import { type RoleNeeds, roleOperations } from './roles.ts';
import { type UserPasswordNeeds, userPasswordOperations } from './users/user-passwords.ts';
import { userOperations } from './users/users.ts';

/** What all of them together need. */
export type ApiServices = ProviderNeeds & RoleNeeds & UserPasswordNeeds;

export const operations: readonly Operation<ApiServices>[] = [
  ...providerOperations,
  ...roleOperations,
  ...userOperations,
  ...userPasswordOperations,
];
