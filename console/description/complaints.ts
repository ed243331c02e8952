/** What an operation lacks to be described: found when it is added, and not by who reads the description. */
import type { z } from 'zod';
import type { AnyOperation } from './described.ts';
import { idOf, itemOf } from './description.ts';
import { exampleOf } from './examples.ts';

/** @returns one line for each fault; none: all is well */
export function complaintsAbout(operations: readonly AnyOperation[]): readonly string[] {
  const ids = operations.map(({ id }) => id);
  const addresses = operations.map(({ method, path }) => `${method} ${path}`);
  return [
    ...twice(ids).map((id) => `${id}: there are two of this id`),
    ...twice(addresses).map((address) => `${address}: there are two of this address`),
    ...operations.flatMap((operation) => faultsOf(operation).map((fault) => `${operation.id}: ${fault}`)),
  ];
}

function faultsOf(operation: AnyOperation): string[] {
  const { id, method, summary, access, event, answer, answerType } = operation;
  const faults = [
    !/^[a-z]+(?:[A-Z][a-z]*)+$/.test(id) && 'the id is not a verb and its object, as in readRole',
    !/^[A-Z][^\n]+\.$/.test(summary ?? '') && 'the summary is not one sentence',
    access === 'write' && event === undefined && 'it may change something, and has no event for the audit',
    !['write', 'own'].includes(access) &&
      event !== undefined &&
      'it changes something, and asks for no right to',
    method === 'GET' && !answer && answerType === undefined && 'it has no answer schema',
    answer && answerType === undefined && !isNamed(answer) && 'its view has no id: .meta({ id })',
    !paramsMatch(operation) && 'params are not what stands in the path',
    !hasExample(operation) && 'its body has a member that must be there, and no example of it',
  ];
  return faults.filter((fault) => fault !== false && fault !== undefined);
}

function isNamed(answer: z.ZodType): boolean {
  return idOf(answer) !== undefined || itemOf(answer) !== undefined;
}

function paramsMatch({ path, params }: AnyOperation): boolean {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const { shape = {} } = (params ?? {}) as Partial<z.ZodObject>;
  return Object.keys(shape).sort().join() === inPath.sort().join();
}

function hasExample({ body, mediaType }: AnyOperation): boolean {
  return !body || mediaType !== undefined || exampleOf(body) !== undefined;
}

function twice(values: readonly string[]): readonly string[] {
  return values.filter((value, i) => values.indexOf(value) !== i);
}
