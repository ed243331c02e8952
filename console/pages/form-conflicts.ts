/** A form whose thing somebody else has changed meanwhile: which fields differ, and what was picked of each. */
import { createHash } from 'node:crypto';
import { type Conflict, pickName } from '../../views/management/forms/conflicts.tsx';
import type { Translate } from '../../views/texts/text.ts';
import type { Form } from '../http/form.ts';
import type { TypedChange } from './ways/change-ways.ts';

/** In the form: what each member was when the form was made, as digests, so that it is known who has changed it. */
export const baseField = 'base';

/** @param stored  the thing in the words of the API, without secrets */
export function baseOf(stored: object): string {
  return Object.entries(stored)
    .map(([member, value]) => `${member}:${digestOf(value)}`)
    .join(' ');
}

/**
 * Members that differ from what is stored, and that somebody else has changed since the form was made.
 *
 * @param fieldOf  the control for a member, by its JSON pointer
 */
export function conflictsOf(
  form: Form,
  change: TypedChange,
  fieldOf: (pointer: string) => string | undefined,
  t: Translate,
): readonly Conflict[] {
  const base = baseIn(form);
  return differing(change).flatMap(([member, typed, stored]) => {
    const before = base.get(member);
    const picked = pickedIn(form, member);
    const theirs = digestOf(stored) !== before;
    // Who sends the form alone has changed it: there is nothing to decide.
    if (before !== undefined && !theirs && picked === undefined) return [];
    const isTheirsAlone = before !== undefined && before === digestOf(typed);
    return [
      {
        member,
        field: fieldOf(`#/${member}`),
        typed: textOf(typed, t),
        stored: textOf(stored, t),
        picked: picked ?? (isTheirsAlone ? ('stored' as const) : undefined),
      },
    ];
  });
}

/** Whether an answer to conflicts has come with the form. */
export function hasPicks(form: Form, { body }: TypedChange): boolean {
  return Object.keys(body).some((member) => pickedIn(form, member) !== undefined);
}

/** Without what is to stay as it is stored: what a change does not name stays. */
export function picked(form: Form, change: TypedChange): TypedChange {
  const { body, stored } = change;
  if (stored === undefined) return change;
  const kept = Object.entries(body).filter(([member]) => pickedIn(form, member) !== 'stored');
  if (kept.length === Object.keys(body).length) return change;
  // The words of the command are for all that was typed.
  return { ...change, body: Object.fromEntries(kept), command: [], hasNoCommand: kept.length > 0 };
}

function pickedIn(form: Form, member: string): 'typed' | 'stored' | undefined {
  const value = form.get(pickName(member));
  return value === 'typed' || value === 'stored' ? value : undefined;
}

/** Secrets are in no answer, so that they are never shown. */
function differing({ body, stored }: TypedChange): readonly (readonly [string, unknown, unknown])[] {
  const all = (stored ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(body).flatMap(([member, value]) =>
    Object.hasOwn(all, member) && digestOf(value) !== digestOf(all[member])
      ? [[member, value, all[member]] as const]
      : [],
  );
}

function baseIn(form: Form): ReadonlyMap<string, string> {
  const said = form.get(baseField) ?? '';
  return new Map(said.split(' ').map((each) => each.split(':', 2) as [string, string]));
}

/** The order of what is named means nothing, nor whether nothing is said or that there is none. */
function digestOf(value: unknown): string {
  const isNothing = value === undefined || value === '';
  const plain = Array.isArray(value) ? value.map((each) => JSON.stringify(each)).sort() : value;
  return createHash('sha256')
    .update(JSON.stringify(isNothing ? null : plain))
    .digest('base64url')
    .slice(0, 8);
}

function textOf(value: unknown, t: Translate): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return t(value ? 'effective.yes' : 'effective.no');
  if (Array.isArray(value)) return value.map((each) => textOf(each, t)).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
