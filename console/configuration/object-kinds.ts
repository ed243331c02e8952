/** What files of configuration describe: which operations make it so, and in which order. */
import type { Method, Operation } from '../operations/operation.ts';
import { fieldsOf, secretFieldsOf } from './comparison.ts';
import type { SecretForm } from './described-secrets.ts';

export interface ObjectKind {
  /** In files. */
  readonly key: string;
  readonly path: string;
  /** Where its records are. */
  readonly collection: 'roles' | 'providers' | 'clients' | 'users';
}

/** In the order in which they are made: roles first, since others have them. They are removed in the other. */
export const objectKinds: readonly ObjectKind[] = [
  { key: 'roles', path: '/roles', collection: 'roles' },
  { key: 'identityProviders', path: '/identity-providers', collection: 'providers' },
  { key: 'clients', path: '/clients', collection: 'clients' },
  { key: 'applications', path: '/applications', collection: 'clients' },
  { key: 'users', path: '/users', collection: 'users' },
];

/** At the same time: a third one would end the first, and each plan would make them anew. */
const mostGoodSecrets = 2;

export type AnyOperation = Operation<never>;

/** The operations on one kind, and what it is described by. */
export interface KindOperations extends ObjectKind, SecretForm {
  /** As `fieldsOf`. */
  readonly fields: ReadonlyMap<string, unknown>;
  /** Of the path. */
  readonly param: string;
  readonly list: AnyOperation;
  readonly read: AnyOperation;
  readonly put: AnyOperation;
  readonly remove: AnyOperation;
  /** Of those that have secrets of their own. */
  readonly addSecret?: AnyOperation | undefined;
  /** Of those that can be kept from working. */
  readonly enable?: AnyOperation | undefined;
  readonly disable?: AnyOperation | undefined;
}

/** Those of which the table has what it takes. */
export function kindsOf(operations: readonly AnyOperation[]): readonly KindOperations[] {
  return objectKinds.flatMap((kind) => {
    const find = (method: Method, rest: RegExp) =>
      operations.find(
        (one) => one.method === method && rest.test(one.path.slice(kind.path.length)) && isOf(one),
      );
    const isOf = ({ path }: AnyOperation) => path === kind.path || path.startsWith(`${kind.path}/`);
    const [list, put] = [find('GET', /^$/), find('PUT', /^\/\{\w+\}$/)];
    const [read, remove] = [find('GET', /^\/\{\w+\}$/), find('DELETE', /^\/\{\w+\}$/)];
    if (!list || !put || !read || !remove) return [];
    const param = /\{(\w+)\}/.exec(put.path)![1]!;
    const addSecret = find('POST', /^\/\{\w+\}\/secrets$/);
    const enable = find('POST', /^\/\{\w+\}\/enable$/);
    const disable = find('POST', /^\/\{\w+\}\/disable$/);
    const form = {
      fields: fieldsOf(put.body),
      secretFields: secretFieldsOf(put.body),
      mostSecrets: addSecret ? mostGoodSecrets : 0,
    };
    return [{ ...kind, ...form, param, list, read, put, remove, addSecret, enable, disable }];
  });
}
