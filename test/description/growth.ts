/** What a newer description has taken away from an older one: v1 only grows. */
import type { Description } from '../../console/description/described.ts';

type Schema = Readonly<Record<string, unknown>>;
type Find = (schema: Schema) => Schema;

/** @returns one line for each promise that does not hold any more */
export function brokenBetween(before: Description, after: Description): readonly string[] {
  const [was, is] = [finder(before), finder(after)];
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const at = `${method.toUpperCase()} ${path}`;
      const now = after.paths[path]?.[method];
      if (!now) return [`${at}: is gone`];
      return [
        ...(now.operationId === old.operationId ? [] : [`${at}: is called ${now.operationId} now`]),
        ...parametersBroken(at, old.parameters ?? [], now.parameters ?? [], was, is),
        ...bodyBroken(at, old, now, was, is),
        ...answersBroken(at, old, now, was, is),
        ...old.security.flatMap((way, i) =>
          JSON.stringify(now.security[i]) === JSON.stringify(way) ? [] : [`${at}: wants other scopes`],
        ),
        ...old['x-roles']
          .filter((role) => !now['x-roles'].includes(role))
          .map((role) => `${at}: does not take the role ${role} any more`),
      ];
    }),
  );
}

type Operation = Description['paths'][string][string];

function parametersBroken(
  at: string,
  old: readonly Schema[],
  now: readonly Schema[],
  was: Find,
  is: Find,
): string[] {
  const key = ({ in: place, name }: Schema) => `${place} ${name}`;
  const before = new Map(old.map((one) => [key(was(one)), was(one)]));
  const after = new Map(now.map((one) => [key(is(one)), is(one)]));
  return [
    ...[...before].flatMap(([name, parameter]) => {
      const newer = after.get(name);
      if (!newer) return [`${at}: the parameter ${name} is gone`];
      return inputBroken(`${at} ${name}`, parameter.schema as Schema, newer.schema as Schema, was, is);
    }),
    ...[...after]
      .filter(([name, { required }]) => required === true && before.get(name)?.required !== true)
      .map(([name]) => `${at}: wants the parameter ${name}`),
  ];
}

function bodyBroken(at: string, old: Operation, now: Operation, was: Find, is: Find): string[] {
  if (!old.requestBody) return now.requestBody ? [`${at}: wants a body`] : [];
  return Object.entries(old.requestBody.content).flatMap(([type, { schema }]) => {
    const newer = now.requestBody?.content[type];
    return newer ? inputBroken(at, schema, newer.schema, was, is) : [`${at}: does not take ${type} any more`];
  });
}

function answersBroken(at: string, old: Operation, now: Operation, was: Find, is: Find): string[] {
  return Object.entries(old.responses).flatMap(([status, response]) => {
    if (!status.startsWith('2')) return [];
    const newer = now.responses[status];
    if (!newer) return [`${at}: does not answer ${status} any more`];
    return Object.entries(response.content ?? {}).flatMap(([type, { schema }]) => {
      const answered = newer.content?.[type];
      return answered
        ? outputBroken(`${at} ${status}`, schema, answered.schema, was, is)
        : [`${at}: does not answer in ${type} any more`];
    });
  });
}

/** What was taken is still taken. */
function inputBroken(at: string, old: Schema, now: Schema, was: Find, is: Find): string[] {
  const [before, after] = [was(old), is(now)];
  return [
    ...wantedSince(at, before, after),
    ...typesGone(at, before, after, 'does not take'),
    ...enumGone(at, before, after, 'does not take'),
    ...limitsTightened(at, before, after),
    ...childrenOf(before, after).flatMap(([name, one, other]) =>
      other ? inputBroken(`${at}.${name}`, one, other, was, is) : [`${at}.${name}: is not taken any more`],
    ),
  ];
}

/** What was shown is still shown, in the same form. */
function outputBroken(at: string, old: Schema, now: Schema, was: Find, is: Find): string[] {
  const [before, after] = [was(old), is(now)];
  const required = (schema: Schema) => (schema.required ?? []) as readonly string[];
  return [
    ...required(before)
      .filter((name) => !required(after).includes(name))
      .map((name) => `${at}.${name}: is not always shown any more`),
    ...typesGone(at, after, before, 'may now be'),
    ...enumGone(at, before, after, 'has no more the value'),
    ...childrenOf(before, after).flatMap(([name, one, other]) =>
      other ? outputBroken(`${at}.${name}`, one, other, was, is) : [`${at}.${name}: is gone`],
    ),
  ];
}

function wantedSince(at: string, before: Schema, after: Schema): string[] {
  const old = (before.required ?? []) as readonly string[];
  return ((after.required ?? []) as readonly string[])
    .filter((name) => !old.includes(name))
    .map((name) => `${at}.${name}: has to be given`);
}

function typesGone(at: string, before: Schema, after: Schema, said: string): string[] {
  // A constant says by itself whether it is an integer.
  const types = (schema: Schema) =>
    Number.isInteger(schema.const) ? ['integer'] : ([schema.type ?? []].flat() as unknown[] as string[]);
  if (types(after).length === 0) return [];
  return types(before)
    .filter((type) => !types(after).includes(type))
    .map((type) => `${at}: ${said} ${type}`);
}

function enumGone(at: string, before: Schema, after: Schema, said: string): string[] {
  if (!Array.isArray(before.enum) || !Array.isArray(after.enum)) return [];
  const now = after.enum as readonly unknown[];
  return before.enum.filter((value) => !now.includes(value)).map((value) => `${at}: ${said} ${value}`);
}

const upper = ['maximum', 'maxLength', 'maxItems'] as const;
const lower = ['minimum', 'minLength', 'minItems'] as const;

function limitsTightened(at: string, before: Schema, after: Schema): string[] {
  const number = (value: unknown, other: number) => (typeof value === 'number' ? value : other);
  return [
    ...upper.filter((name) => number(after[name], Infinity) < number(before[name], Infinity)),
    ...lower.filter((name) => number(after[name], -Infinity) > number(before[name], -Infinity)),
  ].map((name) => `${at}: ${name} is tighter`);
}

/** Members, items and alternatives of both. */
function childrenOf(before: Schema, after: Schema): [string, Schema, Schema | undefined][] {
  const [old, now] = [parts(before), parts(after)];
  return Object.entries(old).map(([name, schema]) => [name, schema, now[name]]);
}

function parts({ properties, items, anyOf, oneOf, additionalProperties }: Schema): Record<string, Schema> {
  const named = Object.entries((properties ?? {}) as Record<string, Schema>);
  const alternatives = ((anyOf ?? oneOf ?? []) as readonly Schema[]).map(
    (one, i) => [`|${one.$ref ?? one.type ?? i}`, one] as const,
  );
  return {
    ...Object.fromEntries([...named, ...alternatives]),
    ...(items !== undefined && { '[]': items as Schema }),
    ...(typeof additionalProperties === 'object' && { '{}': additionalProperties as Schema }),
  };
}

/** Follows a reference. */
function finder({ components }: Description): Find {
  return (schema) => {
    const [, kind, name] = /^#\/components\/(\w+)\/(.+)$/.exec(String(schema.$ref ?? '')) ?? [];
    return kind && name ? (components[kind]![name] as Schema) : schema;
  };
}
