/** What every management page does: asks operations as the person before it, and shows what comes in the frame of all pages. */

import type { Context, ParameterizedContext } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { BarModel } from '../../views/management/bar.tsx';
import type { FieldError } from '../../views/management/forms/fields.tsx';
import type { FrameModel } from '../../views/management/frame.tsx';
import { startHref } from '../../views/management/settings/start.tsx';
import { asSentence, saidIn, type Translate } from '../../views/texts/text.ts';
import type { PageOperations } from '../admin-api/http/http-calls.ts';
import type { ListFile, ListReading } from '../admin-api/http/list-file.ts';
import { pageActor } from '../admin-api/http/page-actor.ts';
import type { Csrf } from '../http/csrf.ts';
import { presentationOf } from '../http/display/presentation.ts';
import type { WithForm } from '../http/guards.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import { pageCallerOf } from '../login/page-caller.ts';
import type { WithSession } from '../login/signed-in.ts';
import { mayRun } from '../operations/access-check.ts';
import type { Answer } from '../operations/operation.ts';
import type { PermissionsOf } from '../operations/privileges.ts';
import type { OperationRequest } from '../operations/run-operation.ts';
import { createBarFigures } from './bar-figures.ts';
import { isGuided } from './settings/guide.ts';
import { siteMap } from './site-map.ts';

/** Behind `query` or `form`, and `signedIn`. */
export type PageContext = ParameterizedContext<WithSession & WithForm>;

/** What an operation has answered, of a form that the page knows. */
export interface Answered<Body> extends Omit<Answer, 'body'> {
  readonly body: Body;
}

/** The change is not made: it waits for a second administrator. Each page sends the browser to the page of that. */
export class AwaitsApprovalError extends Error {
  /** Its id. */
  readonly approval: string;

  constructor(approval: string) {
    super('the change waits for a second administrator');
    this.approval = approval;
  }
}

/** Who reads a page, and when. */
export type PageReader = Pick<FrameModel, 'now' | 'groups' | 'presentation'>;

export interface PageTools {
  /** @param id  of an operation. @throws {ProblemError} @throws {AwaitsApprovalError} */
  run<Body = unknown>(ctx: PageContext, id: string, request?: OperationRequest): Promise<Answered<Body>>;
  /** All of a list. @param id  of its operation. @throws {ProblemError} */
  list(ctx: PageContext, id: string, reading: ListReading): Promise<ListFile>;
  /** For a form that is shown before it is sent. @throws {ProblemError} `insufficient_scope` */
  check(ctx: PageContext, id: string): Promise<void>;
  /** Which of these operations the person may run. */
  mayRun(ctx: PageContext, ids: readonly string[]): Promise<ReadonlySet<string>>;
  frame(ctx: PageContext): Promise<FrameModel>;
  /** What the reader may know of what its bar says. */
  bar(ctx: PageContext): Promise<BarModel>;
  /** Of the frame, what parts of a page need: without forms, so that nothing of one reader is in it. */
  reader(ctx: PageContext): PageReader;
  /** For a stream. */
  setHeaders(ctx: PageContext): void;
  /** The same for all who may do the same now. */
  rightsOf(ctx: PageContext): string;
  /** The same for all who read it in the same way. */
  presentationKeyOf(ctx: PageContext): string;
  /** For a page that also they see who may open no management page: undefined for them. */
  frameOf(ctx: Context, here: WithSession): Promise<FrameModel | undefined>;
  csrf(ctx: PageContext): string;
  send(ctx: PageContext, html: string, status?: number): void;
  /** After a form that has done something: the page that comes is read anew, however often it is. */
  goTo(ctx: PageContext, href: string): void;
}

export interface PageToolsDeps {
  readonly pageOperations: PageOperations;
  readonly csrf: Pick<Csrf, 'token'>;
  readonly permissionsOf: PermissionsOf;
  readonly isSecure: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The event of an answer to a change that was not made yet. */
const approvalRequested = 'approval.requested';
/** Where the question of the sign-out page is answered too. */
const signOutPath = '/connect/logout/confirm';

export function createPageTools({
  pageOperations,
  permissionsOf,
  csrf,
  isSecure,
  now,
}: PageToolsDeps): PageTools {
  const barFigures = createBarFigures(pageOperations, now);
  const callerOf = ({ state }: PageContext) => pageCallerOf(state, now());
  const tools: PageTools = {
    async run<Body>(ctx: PageContext, id: string, request?: OperationRequest) {
      const call = { req: ctx.req, res: ctx.res, caller: callerOf(ctx) };
      const answer = await pageOperations.run(call, id, request);
      if (answer.event === approvalRequested) throw new AwaitsApprovalError(answer.target!);
      return answer as Answered<Body>;
    },
    list: (ctx, id, reading) =>
      pageOperations.list({ req: ctx.req, res: ctx.res, caller: callerOf(ctx) }, id, reading),
    check: (ctx, id) => pageOperations.check(callerOf(ctx), id),
    mayRun: (ctx, ids) => pageOperations.openTo(callerOf(ctx), ids),
    frame: (ctx) => frameOf(ctx, ctx.state),
    bar: (ctx) => barOf(ctx, ctx.state),
    reader: (ctx) => readerOf(ctx, ctx.state),
    setHeaders: (ctx) => setPageHeaders(ctx, isSecure, [], [], 'own'),
    rightsOf(ctx) {
      const roles = [...callerOf(ctx).roles].sort();
      return JSON.stringify(roles.map((role) => [role, permissionsOf(role)]));
    },
    presentationKeyOf(ctx) {
      const { zone, language } = presentationOf(ctx);
      return `${language} ${zone ?? ''}`;
    },
    async frameOf(ctx, here) {
      const frame = await frameOf(ctx, here);
      return frame.groups.length === 0 ? undefined : frame;
    },
    csrf: (ctx) => csrf.token(ctx),
    send(ctx, html, status = 200) {
      setPageHeaders(ctx, isSecure, [], [], 'own');
      ctx.status = status;
      ctx.type = 'html';
      ctx.body = html;
    },
    goTo(ctx, href) {
      ctx.status = 303;
      ctx.redirect(href);
    },
  };
  return tools;

  function barOf(ctx: Context, here: WithSession): Promise<BarModel> {
    return barFigures({ req: ctx.req, res: ctx.res, caller: pageCallerOf(here, now()) });
  }

  async function frameOf(ctx: Context, here: WithSession): Promise<FrameModel> {
    return {
      username: here.account.username,
      signOut: { action: signOutPath, csrf: csrf.token(ctx) },
      bar: await barOf(ctx, here),
      ...(ctx.path !== startHref && isGuided(ctx) && { guide: { href: startHref, csrf: csrf.token(ctx) } }),
      ...readerOf(ctx, here),
    };
  }

  /** Without the operations themselves, which the first page would have to wait for. */
  function readerOf(ctx: Context, here: WithSession): PageReader {
    const actor = pageActor(pageCallerOf(here, now()));
    const all = siteMap.flatMap(({ pages }) => pages);
    const open = new Set(all.filter(({ needs }) => mayRun(needs, actor, { permissionsOf })));
    const closed = all
      .filter((page) => !open.has(page))
      .flatMap(({ href, otherHref = href }) => [href, otherHref]);
    return {
      now: new Date(now()),
      presentation: { ...presentationOf(ctx), ...(closed.length > 0 && { closed }) },
      groups: siteMap.flatMap(({ pages, ...group }) => {
        const shown = pages.filter((page) => open.has(page));
        if (shown.length === 0) return [];
        const here = shown
          .filter((page) => isAt(ctx, page))
          .sort(byLength)
          .at(-1);
        const current = shown.map((page) => ({ ...page, isCurrent: page === here }));
        return [{ ...group, isCurrent: isAt(ctx, group), pages: current }];
      }),
    };
  }
}

/** A thing of a list belongs to the page of the list. */
function isAt(
  { path }: Pick<Context, 'path'>,
  { href, otherHref = href }: { readonly href: string; readonly otherHref?: string },
): boolean {
  return [href, otherHref].some((one) => path === one || path.startsWith(`${one}/`));
}

/** The longest address says most closely where a page is. */
function byLength(one: { readonly href: string }, other: { readonly href: string }): number {
  return one.href.length - other.href.length;
}

/** Of the pages that the reader may open. */
export function hrefsOf({ groups }: PageReader): ReadonlySet<string> {
  return new Set(groups.flatMap(({ pages }) => pages.map(({ href }) => href)));
}

/** What a form is told that an operation has not taken. @throws what no form can say */
export function fieldErrorsOf(
  error: unknown,
  fieldOf: (pointer: string) => string | undefined,
  t: Translate,
): readonly FieldError[] {
  if (!(error instanceof ProblemError) || !saidInForms.has(error.problem)) throw error;
  if (error.problem === problems.ownedByCode)
    return [
      {
        text: t('frame.filesConfigurationDescribeChange'),
      },
    ];
  const { errors = [] } = error.members as {
    readonly errors?: readonly { pointer: string; detail: string }[];
  };
  // What the API says is said in English where nobody has said it in another language.
  const said = (english: string) => saidIn(t.language, english) ?? english;
  if (errors.length === 0) return [{ text: said(error.message) }];
  return errors.map(({ pointer, detail }) => {
    const german = saidIn(t.language, detail);
    return { field: fieldOf(pointer), text: said(asSentence(german ?? detail)) };
  });
}

/** The others are a page of their own: who asks may not, nothing is there, nothing can be written. */
const saidInForms: ReadonlySet<unknown> = new Set([
  problems.invalidUrl,
  problems.invalidRequest,
  problems.weakPassword,
  problems.reauthRequired,
  problems.approvalRequired,
  problems.escalation,
  problems.conflict,
  problems.ownedByCode,
  problems.alreadyExists,
  problems.lastAdministrator,
  problems.ownAccount,
  problems.preconditionFailed,
  problems.memberRejected,
  problems.tooManyRequests,
  problems.busy,
]);
