/** Acts that are asked about before they are done: what stands on the page of the question, and how its form is taken. */

import { randomUUID } from 'node:crypto';
import { ProblemError, problems } from '../../platform/errors.ts';
import { type ActText, renderAct } from '../../views/management/act.tsx';
import type { DiffModel } from '../../views/management/diff.tsx';
import type { Select } from '../../views/management/filters.tsx';
import type { FieldError } from '../../views/management/forms/fields.tsx';
import type { Crumb } from '../../views/management/frame.tsx';
import type { Snippet } from '../../views/management/snippets.tsx';
import type { Translate } from '../../views/texts/text.ts';
import { textFor } from '../http/display/presentation.ts';
import type { Form } from '../http/form.ts';
import type { StepUp } from '../login/step-up.ts';
import { recentSignInSeconds } from '../operations/access-check.ts';
import type { OperationRequest } from '../operations/run-operation.ts';
import { type Answered, fieldErrorsOf, type PageContext, type PageTools } from './page-tools.ts';
import { asPart } from './read-part.ts';
import { type ActFile, fileOfAct } from './ways/act-files.ts';
import { bodyOf, hasChoices, waysOfAct } from './ways/act-ways.ts';

export interface Act {
  /** In the address (`?do=`) and in the form. */
  readonly name: string;
  /** The operation that does it. */
  readonly operation: string;
  /** Verb and noun. */
  readonly title: string;
  /** Whom and what it hits, a sentence each. */
  readonly effects: readonly string[];
  /** What would change, line by line. */
  readonly diff?: DiffModel;
  readonly button: string;
  /** Cannot be undone: wants a sign-in of late. */
  readonly isDangerous?: boolean;
  /** Its button stands on the page of the thing: who has signed in of late is asked nothing. */
  readonly isAtOnce?: boolean;
  /** Why it cannot be done now: its page has no button. */
  readonly stops?: string;
  /** Makes or takes something: its form sent twice is answered twice with the same. */
  readonly isMaking?: boolean;
  /** Typed before it is done. */
  readonly typedName?: string;
  /** What is to be chosen. */
  readonly selects?: readonly Select[];
  /** What may be typed. */
  readonly texts?: readonly ActText[];
  /** What the operation gets, besides what names the thing; by default an empty body. */
  readonly requestOf?: (form: Form) => Pick<OperationRequest, 'body' | 'query' | 'ifMatch' | 'waitSeconds'>;
  /** Names of the fields by where the body of the request has what is typed there, unless that is called the same. */
  readonly fieldAt?: Readonly<Record<string, string>>;
  /** The same in other ways; absent: a command and a call of the API, made of its operation and what that gets. */
  readonly ways?: readonly Snippet[];
  /** Further fields of the form, as they were asked with. */
  readonly hidden?: Readonly<Record<string, string>>;
}

export interface ActPlace {
  readonly path: readonly Crumb[];
  /** Address of the thing: forms go there, and who cancels goes back. */
  readonly href: string;
  /** Whoever cancels goes there instead. */
  readonly cancelHref?: string;
}

export interface ActsDeps {
  readonly tools: PageTools;
  readonly stepUp: StepUp;
  /** Of this console, for what is pasted elsewhere. */
  readonly origin: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** An act at its place, with what names the thing in the path of its operation. */
interface Asked {
  readonly act: Act;
  readonly place: ActPlace;
  readonly params: Params;
}

type Params = Readonly<Record<string, string>>;

export type Acts = ReturnType<typeof createActs>;

export function createActs({ tools, stepUp, origin, now }: ActsDeps) {
  return {
    /** The page that asks. @param params  what names the thing in the path of the operation */
    async ask(ctx: PageContext, act: Act, place: ActPlace, params: Params): Promise<void> {
      await tools.check(ctx, act.operation);
      await show(ctx, { act, place, params }, { errors: [] });
    },
    /**
     * Takes the form of that page.
     *
     * @returns undefined when the page asks again, and says why
     * @throws {ProblemError} what no form can say
     */
    async perform<Body>(
      ctx: PageContext,
      act: Act,
      place: ActPlace,
      params: Params,
    ): Promise<Answered<Body> | undefined> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const asked = { act, place, params };
      // Whoever may not is not asked for a word, or a password, first.
      await tools.check(ctx, act.operation);
      if (act.isAtOnce && isStale(ctx, act) && !form.has('current_password')) {
        await show(ctx, asked, { errors: [] });
        return undefined;
      }
      try {
        if (form.get('show') === 'ways') {
          await show(ctx, asked, { errors: [], isForWays: true });
          return undefined;
        }
        checkTyped(act, form, t);
        await confirm(ctx, act);
        return await tools.run<Body>(ctx, act.operation, {
          params,
          takesOver: form.get('takeOver') === 'true',
          ...(act.isMaking && { idempotencyKey: form.get('idempotencyKey') ?? '' }),
          ...(act.requestOf?.(form) ?? { body: {} }),
        });
      } catch (error) {
        const own = act.texts?.map(({ name }) => name) ?? [];
        const errors = fieldErrorsOf(error, fieldOf(own, act.fieldAt), t);
        await show(ctx, { ...asked, act: withOwner(act, error, t) }, { errors });
        return undefined;
      }
    },
  };

  async function fileOf(ctx: PageContext, act: Act, params: Params): Promise<ActFile | undefined> {
    const read = async (id: string, named: Params) =>
      (await tools.mayRun(ctx, [id])).has(id)
        ? asPart(async () => (await tools.run<object>(ctx, id, { params: named })).body)
        : undefined;
    const body = bodyOf(act, ctx.state.form);
    return fileOfAct({ operation: act.operation, params, body }, read, textFor(ctx));
  }

  async function confirm(ctx: PageContext, act: Act): Promise<void> {
    if (!isStale(ctx, act) || ctx.state.account.federated) return;
    try {
      ctx.state.current = await stepUp(ctx, ctx.state, ctx.state.form.get('current_password') ?? '');
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem !== problems.invalidRequest) throw error;
      throw fieldProblem('current_password', error.message);
    }
  }

  function isStale({ state: { current } }: PageContext, { isDangerous = false }: Act): boolean {
    return isDangerous && now() / 1000 - current.startedAt > recentSignInSeconds;
  }

  /** What is to be chosen is said in other ways once that is asked for. */
  async function show(
    ctx: PageContext,
    { act, place: { path, href, cancelHref = href }, params }: Asked,
    { errors, isForWays = false }: { readonly errors: readonly FieldError[]; readonly isForWays?: boolean },
  ): Promise<void> {
    const { title, effects, diff, button, stops, typedName, isDangerous = false, name, hidden } = act;
    const { selects = [], texts = [] } = act;
    const { form } = ctx.state;
    const t = textFor(ctx);
    const isSaid = isForWays || !hasChoices(act);
    const made = isSaid ? await waysOfAct(act, params, form, { origin, t }) : [];
    const file = isSaid && made.length > 0 ? await fileOf(ctx, act, params) : undefined;
    const confirmation = !isStale(ctx, act)
      ? undefined
      : ctx.state.account.federated
        ? 'elsewhere'
        : 'password';
    const html = renderAct({
      frame: await tools.frame(ctx),
      path,
      title,
      effects,
      diff,
      ways: act.ways ?? [...made, ...(file?.snippets ?? [])],
      whyNoFile: act.ways === undefined ? file?.why : undefined,
      waysAsked: isForWays,
      offersWays: act.ways === undefined && hasChoices(act),
      stops,
      typedName,
      confirmation,
      action: href,
      hidden: { ...hidden, ...keyOf(ctx, act), csrf: tools.csrf(ctx), do: name },
      selects: selects.map((select) => ({
        ...select,
        value: form.get(select.name) ?? select.value,
      })),
      texts: texts.map((text) => ({ ...text, value: form.get(text.name) ?? text.value ?? '' })),
      button,
      isDangerous,
      cancelHref,
      errors,
    });
    tools.send(ctx, html, errors.length > 0 ? 400 : 200);
  }
}

/** Asked of whoever hits the whole cluster, or all of a member. Nobody is stopped by an empty one when it burns; it is not said then. */
export function reasonText(t: Translate): ActText {
  return { name: 'reason', label: t('operations.reason'), hint: t('operations.forTheAudit') };
}

/** For the query of its operation. */
export function reasonIn(form: Form): Readonly<Record<string, string>> {
  const reason = form.get('reason')?.trim();
  return reason ? { reason } : {};
}

/** In the form of a page that asks: so many users it said. */
const hitField = 'users';

/** @returns fields of an act that hits so many users, who are on the page that asks: see {@link isUnasked} */
export function hitting(users: number): Readonly<Record<string, string>> {
  return { [hitField]: String(users) };
}

/** Whether the page of the act has to ask first: it has not, or has said another number of users. */
export function isUnasked({ state: { form } }: PageContext, { hidden = {} }: Act): boolean {
  return hidden[hitField] !== undefined && form.get(hitField) !== hidden[hitField];
}

/** Of this form, however often it is shown again. */
function keyOf({ state: { form } }: PageContext, { isMaking }: Act): Readonly<Record<string, string>> {
  return isMaking ? { idempotencyKey: form.get('idempotencyKey') ?? randomUUID() } : {};
}

/** Asked once more, it is taken from the files that describe it. */
function withOwner(act: Act, error: unknown, t: Translate): Act {
  const isOwned = error instanceof ProblemError && error.problem === problems.ownedByCode;
  if (!isOwned) return act;
  const effects = [...act.effects, t('frame.takenFromFilesConfiguration')];
  return { ...act, effects, hidden: { ...act.hidden, takeOver: 'true' } };
}

/** @param own  fields of the act itself */
function fieldOf(
  own: readonly string[],
  fieldAt: Act['fieldAt'] = {},
): (pointer: string) => string | undefined {
  const known = ['typed_name', 'current_password', ...own];
  return (pointer) => fieldAt[pointer] ?? known.find((name) => name === pointer.slice(2));
}

/** Says everything that is not typed at once, so that nobody sends the form once for each. */
function checkTyped({ texts = [], typedName }: Act, form: Form, t: Translate): void {
  const errors = texts
    .filter(({ name, isRequired }) => isRequired && !form.get(name)?.trim())
    .map(({ name, label }) => fieldErrorAt(name, t('frame.fillIn', { label })));
  if (typedName !== undefined && form.get('typed_name') !== typedName)
    errors.push(fieldErrorAt('typed_name', t('frame.notTypedName', { name: typedName })));
  if (errors.length > 0)
    throw new ProblemError(problems.invalidRequest, errors[0]!.detail, { members: { errors } });
}

function fieldProblem(field: string, detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail, {
    members: { errors: [fieldErrorAt(field, detail)] },
  });
}

function fieldErrorAt(field: string, detail: string) {
  return { pointer: `#/${field}`, code: 'invalid_value', detail };
}
