/** Forms that add or change one thing: how they are taken, and with what they are shown again. */

import { randomUUID } from 'node:crypto';
import { ProblemError, problems } from '../../platform/errors.ts';
import {
  type AddState,
  type EditState,
  type FormState,
  newAct,
  type Owner,
} from '../../views/management/forms/change-form.tsx';
import { type Conflict, pickName } from '../../views/management/forms/conflicts.tsx';
import type { FieldError } from '../../views/management/forms/fields.tsx';
import type { Translate } from '../../views/texts/text.ts';
import { textFor } from '../http/display/presentation.ts';
import type { Form } from '../http/form.ts';
import { baseField, baseOf, conflictsOf, hasPicks, picked } from './form-conflicts.ts';
import { type LastChange, lastChangeOf } from './history/last-change.ts';
import { type Answered, fieldErrorsOf, type PageContext, type PageTools } from './page-tools.ts';
import { type TypedChange, waysOf } from './ways/change-ways.ts';

/** A form as it is shown again. */
export interface Shown extends FormState {
  /** Of what was read when the form was made; absent where the page has just shown what is stored now. */
  readonly version?: string;
  readonly base?: string;
  /** Sent once more, it is taken from the files that describe it. */
  readonly takesOver?: boolean;
}

/**
 * The control for a member of a body, which is called as the member.
 *
 * @param others  controls that are called otherwise, by their members
 */
export function controlsFor(
  members: readonly string[],
  others: ReadonlyMap<string, string> = new Map(),
): (pointer: string) => string | undefined {
  return (pointer) => {
    const member = pointer.slice(2).split('/')[0]!;
    return others.get(member) ?? members.find((one) => one === member);
  };
}

export interface Taken {
  readonly change: TypedChange;
  /** The control for a member of the body, by its JSON pointer. */
  readonly fieldOf: (pointer: string) => string | undefined;
  /** Shows the form again, with what was typed. */
  readonly again: (shown: Shown) => Promise<void>;
  /** What is wrong with the form that no operation would find. */
  readonly problems?: readonly FieldError[];
}

export type Forms = ReturnType<typeof createForms>;

/** @param origin  of this console */
export function createForms(tools: PageTools, origin: string) {
  return {
    /** Of a form that adds something. */
    async addState(ctx: PageContext, shown: Shown): Promise<AddState> {
      return {
        frame: await tools.frame(ctx),
        csrf: tools.csrf(ctx),
        idempotencyKey: ctx.state.form.get('idempotencyKey') ?? randomUUID(),
        ...shown,
      };
    },
    /** Of a form that changes something. @param version  as it has just been read */
    editState(ctx: PageContext, stored: { readonly owner: Owner }, version: string): EditState {
      const { owner } = stored;
      return {
        csrf: tools.csrf(ctx),
        version,
        base: baseOf(stored),
        source: owner.kind === 'code' ? (owner.source ?? undefined) : undefined,
        takesOver: takesOver(ctx),
        errors: [],
      };
    },
    /** @returns undefined when the form is shown again, and nothing was changed. @throws {ProblemError} what no form can say */
    async take<Body>(ctx: PageContext, taken: Taken): Promise<Answered<Body> | undefined> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const { fieldOf, again, problems: wrong = [] } = taken;
      const change = picked(form, taken.change);
      const same = sameOf(form);
      const conflicts = () => conflictsOf(form, taken.change, fieldOf, t);
      // Once asked, what was picked stays, whatever else is wrong.
      const open = hasPicks(form, taken.change) ? { conflicts: conflicts() } : {};
      if (wrong.length > 0) {
        await tools.check(ctx, change.operation);
        await again({ ...same, ...open, errors: wrong });
        return undefined;
      }
      if (form.get('show') === 'ways') {
        await again({ ...same, ...open, errors: [], ways: await waysOf(change, origin, t) });
        return undefined;
      }
      const { operation, params = {}, body } = change;
      if (change !== taken.change && Object.keys(body).length === 0) {
        await tools.check(ctx, operation);
        return { body: change.stored as Body, isUnchanged: true };
      }
      const isNew = form.get('do') === newAct;
      const condition = isNew
        ? { idempotencyKey: form.get('idempotencyKey') ?? '' }
        : { ifMatch: form.get('version') };
      try {
        const request = { params, body, ...condition, takesOver: takesOver(ctx) };
        return await tools.run<Body>(ctx, operation, request);
      } catch (error) {
        if (isStale(error)) {
          const last = await lastChangeOf(tools, ctx, taken.change);
          await again(staleForm(fieldErrorsOf(error, fieldOf, t), conflicts(), last, t));
        } else {
          const errors = fieldErrorsOf(error, fieldOf, t);
          await again({ ...same, ...open, ...(isOwned(error) && { takesOver: true }), errors });
        }
        return undefined;
      }
    },
  };
}

/** What the form was made of. */
function sameOf(form: Form): Pick<Shown, 'version' | 'base'> {
  const [version, base] = [form.get('version'), form.get(baseField)];
  return { ...(version !== undefined && { version }), ...(base !== undefined && { base }) };
}

/**
 * Of the version that is stored now: whoever saves again has picked from both.
 *
 * @param errors  what is said where no field differs any more
 */
function staleForm(
  errors: readonly FieldError[],
  conflicts: readonly Conflict[],
  last: LastChange,
  t: Translate,
): Shown {
  if (conflicts.length === 0) return { errors, conflicts };
  const nothing = t('frame.nothing');
  // What only the other one has changed is picked already: nothing is wrong with it.
  const asked = conflicts
    .filter(({ picked: already }) => already === undefined)
    .map(({ member, field, typed, stored }) => ({
      field: field ?? pickName(member),
      text: t('frame.changedToo', { typed: typed || nothing, stored: stored || nothing }),
    }));
  return { errors: [{ text: `${changedText(last, t)} ${t('frame.pickBelow')}` }, ...asked], conflicts };
}

function changedText({ at, who }: LastChange, t: Translate): string {
  if (at === undefined) return t('frame.changedMeanwhile');
  return who === undefined ? t('frame.changedAt', { at }) : t('frame.changedBy', { at, who });
}

function takesOver({ state: { form } }: PageContext): boolean {
  return form.get('takeOver') === 'true';
}

function isOwned(error: unknown): boolean {
  return error instanceof ProblemError && error.problem === problems.ownedByCode;
}

function isStale(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.problem === problems.preconditionFailed;
}
