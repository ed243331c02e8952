/** Forms that add or change one thing: how they are taken, and with what they are shown again. */

import { randomUUID } from 'node:crypto';
import { ProblemError, problems } from '../../platform/errors.ts';
import {
  type AddState,
  type EditState,
  type FormState,
  newAct,
  type Owner,
} from '../../views/management/change-form.tsx';
import type { FieldError } from '../../views/management/fields.tsx';
import type { Translate } from '../../views/texts/text.ts';
import { textFor } from '../http/display/presentation.ts';
import { type TypedChange, waysOf } from './change-ways.ts';
import { type Answered, fieldErrorsOf, type PageContext, type PageTools } from './page-tools.ts';

/** A form as it is shown again. */
export interface Shown extends FormState {
  /** Of what was read when the form was made; absent where the page has just shown what is stored now. */
  readonly version?: string;
  /** Sent once more, it is taken from the files that describe it. */
  readonly takesOver?: boolean;
}

export interface Taken {
  readonly change: TypedChange;
  /** The control for a member of the body, by its JSON pointer. */
  readonly fieldOf: (pointer: string) => string | undefined;
  /** What is stored now beside what was typed, by control, where somebody else has changed it meanwhile. */
  readonly stored?: readonly { readonly field: string; readonly text: string }[];
  /** Shows the form again, with what was typed. */
  readonly again: (shown: Shown) => Promise<void>;
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
    editState(ctx: PageContext, { owner }: { readonly owner: Owner }, version: string): EditState {
      return {
        csrf: tools.csrf(ctx),
        version,
        source: owner.kind === 'code' ? (owner.source ?? undefined) : undefined,
        takesOver: takesOver(ctx),
        errors: [],
      };
    },
    /** @returns undefined when the form is shown again, and nothing was changed. @throws {ProblemError} what no form can say */
    async take<Body>(ctx: PageContext, taken: Taken): Promise<Answered<Body> | undefined> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const { change, again } = taken;
      const version = form.get('version');
      const same = version === undefined ? {} : { version };
      if (form.get('show') === 'ways') {
        await again({ ...same, errors: [], ways: await waysOf(change, origin, t) });
        return undefined;
      }
      const { operation, params = {}, body } = change;
      const isNew = form.get('do') === newAct;
      const condition = isNew
        ? { idempotencyKey: form.get('idempotencyKey') ?? '' }
        : { ifMatch: form.get('version') };
      try {
        const request = { params, body, ...condition, takesOver: takesOver(ctx) };
        return await tools.run<Body>(ctx, operation, request);
      } catch (error) {
        if (isStale(error)) await again({ errors: conflicts(error, taken, t) });
        else if (isOwned(error))
          await again({ ...same, takesOver: true, errors: fieldErrorsOf(error, taken.fieldOf, t) });
        else await again({ ...same, errors: fieldErrorsOf(error, taken.fieldOf, t) });
        return undefined;
      }
    },
  };
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

/** Whoever saves again has read what stands there now. */
function conflicts(
  error: ProblemError,
  { stored = [], fieldOf }: Taken,
  t: Translate,
): readonly FieldError[] {
  return [
    ...fieldErrorsOf(error, fieldOf, t),
    ...stored.map(({ field, text }) => ({
      field,
      text: text === '' ? t('frame.storedNowNothing') : t('frame.storedNow', { text }),
    })),
  ];
}
