/**
 * Every endpoint with its group on and off, by a wrong method, with a part missing and with wrong credentials: calls
 * that are made at members directly, to see where the embedded one differs.
 */
import { routesOf } from '../../member-proxy/authorization/routes.ts';
import { ruleTable } from '../../member-proxy/authorization/rule-table.ts';
import { ask } from '../helpers/wire.ts';
import { bodyOf, type EngineRow, engineTable, plain, ruleOf, shutdownRows } from './engine-table.ts';

export interface Case {
  readonly kind: 'on' | 'off' | 'wrong method' | 'missing part' | 'wrong credentials';
  /** Method and path, and where a call comes again, which time it is. */
  readonly name: string;
  readonly row: EngineRow;
  readonly body: string | undefined;
}

/** In the order in which they run: the walk as it stands, what ought to change nothing, and what stops the member. */
export function casesOn(): readonly Case[] {
  const rows = [...engineTable, ...shutdownRows];
  const endpoints = firstOfEach(rows);
  return named([
    ...engineTable.map((row) => caseOf('on', row, bodyOf(row))),
    ...endpoints.flatMap((row) => wrongMethodOf(row, rows)),
    ...endpoints.flatMap(missingPartOf),
    ...endpoints.flatMap(wrongCredentialsOf),
    // A member can be stopped once only.
    ...shutdownRows.slice(0, 1).map((row) => caseOf('on', row, bodyOf(row))),
  ]);
}

/** The same calls at a member where every group is off. */
export function casesOff(): readonly Case[] {
  return named(firstOfEach([...engineTable, ...shutdownRows]).map((row) => caseOf('off', row, bodyOf(row))));
}

/**
 * @param prefix  first segment at that member
 * @returns what it answered, by kind and name
 */
export async function answersOf(
  origin: string,
  cases: readonly Case[],
  { prefix, version }: { readonly prefix: string; readonly version: string },
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  for (const { kind, name, row, body } of cases) {
    const answer = await ask(origin, row.method, row.path.replace(/^\/svc/, `/${prefix}`), {
      ...(body !== undefined && { body: Buffer.from(body, 'latin1') }),
      headers: row.type === undefined ? {} : { 'Content-Type': row.type },
    });
    answers.set(`${kind}: ${name}`, plain(answer, version));
  }
  return answers;
}

/** One row for each call of each rule. */
function firstOfEach(rows: readonly EngineRow[]): EngineRow[] {
  const seen = new Map<string, EngineRow>();
  for (const row of rows) {
    const call = `${row.method} ${ruleOf(row).template}`;
    if (!seen.has(call)) seen.set(call, row);
  }
  return [...seen.values()];
}

const routeOf = routesOf(ruleTable);

/** A method that the path does not know, once for each path. */
function wrongMethodOf(row: EngineRow, rows: readonly EngineRow[]): Case[] {
  const { byMethod } = routeOf(row.path)!;
  const isFirst = rows.find(({ path }) => path === row.path)?.method === row.method;
  const method = ['DELETE', 'POST', 'GET'].find((candidate) => !byMethod.has(candidate));
  if (!isFirst || method === undefined) return [];
  const { path, answer } = row;
  return [caseOf('wrong method', { method, path, answer }, method === 'POST' ? 'dev&' : undefined)];
}

/** A body with too few fields; a path without what stands last in it. */
function missingPartOf(row: EngineRow): Case[] {
  if (row.positionalFields) return [caseOf('missing part', row, 'dev')];
  const { template } = ruleOf(row);
  if (!/\{[^/]+\}$/.test(template)) return [];
  return [caseOf('missing part', { ...row, path: row.path.replace(/[^/]+$/, '') }, row.value)];
}

function wrongCredentialsOf(row: EngineRow): Case[] {
  return row.positionalFields ? [caseOf('wrong credentials', row, bodyOf(row, 'prod'))] : [];
}

function caseOf(kind: Case['kind'], row: EngineRow, body: string | undefined): Case {
  return { kind, name: `${row.method} ${row.path}`, row, body };
}

function named(cases: readonly Case[]): Case[] {
  const times = new Map<string, number>();
  return cases.map((one) => {
    const key = `${one.kind}: ${one.name}`;
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    return time === 1 ? one : { ...one, name: `${one.name} (${time})` };
  });
}
