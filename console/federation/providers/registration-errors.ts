/** What a change of providers is refused with. */
import { ProblemError, problems } from '../../../platform/errors.ts';

export function taken(id: string): ProblemError {
  return new ProblemError(problems.alreadyExists, `There is an identity provider ${id} already.`);
}

export function isBeingRemoved(id: string): ProblemError {
  return conflict(`The identity provider ${id} is being removed.`);
}

export function hasEarlierAccounts(id: string, left: number): ProblemError {
  return conflict(
    `${count(left)} of an earlier provider ${id} still here, and would belong to this one: remove them, or take another id.`,
  );
}

export function hasAccounts(id: string, held: number): ProblemError {
  return conflict(
    `${count(held)} of ${id} here. Disable it to keep them out and keep them; or remove them with it (--with-accounts).`,
  );
}

function count(accounts: number): string {
  return accounts === 1 ? '1 account is' : `${accounts} accounts are`;
}

export function conflict(detail: string): ProblemError {
  return new ProblemError(problems.conflict, detail);
}

export function unknownProvider(): never {
  throw new ProblemError(problems.notFound, 'There is no identity provider of this id.');
}
