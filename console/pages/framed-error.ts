/** What stands around a page that could not be had: the frame of all pages, and the way to it. */
import type { Context } from 'koa';
import { type Problem, problems } from '../../platform/errors.ts';
import type { FramedError } from '../../views/error.tsx';
import { textFor } from '../http/display/presentation.ts';
import type { FrameOf } from '../http/error-responses.ts';
import type { WithSession } from '../login/signed-in.ts';
import { hrefsOf, type PageTools } from './page-tools.ts';
import { siteMap } from './site-map.ts';

const membersHref = '/cluster/members';
/** The console has asked members, and none, or not the one that is meant, could do it. */
const ofMembers: ReadonlySet<Problem> = new Set([
  problems.noMember,
  problems.memberBusy,
  problems.badGateway,
  problems.upstreamTimeout,
]);

const listPages = siteMap.flatMap(({ pages }) => pages).filter(({ href }) => href !== '/');

/** @returns what frames the errors of management pages, of whoever is signed in */
export function createFramedError(tools: Pick<PageTools, 'frameOf'>): FrameOf {
  return async (ctx, problem): Promise<FramedError | undefined> => {
    const here = ctx.state as Partial<WithSession>;
    if (!here.account || !here.current) return undefined;
    const frame = await tools.frameOf(ctx, here as WithSession);
    if (!frame) return undefined;
    const isOfMembers = ofMembers.has(problem) && hrefsOf(frame).has(membersHref);
    const isQuestion = ctx.method === 'GET' || ctx.method === 'HEAD';
    return {
      frame,
      path: pathTo(ctx),
      ...(isQuestion && problem.status >= 500 && { againHref: ctx.url }),
      ...(isOfMembers && { membersHref }),
    };
  };
}

/** Its list, and what it is a part of. */
function pathTo(ctx: Context): FramedError['path'] {
  const list = listPages.find(({ href }) => ctx.path.startsWith(`${href}/`));
  if (!list) return [];
  const crumbs = [{ title: textFor(ctx)(list.title), href: list.href }];
  const [thing, part] = ctx.path.slice(list.href.length + 1).split('/');
  if (thing && part) crumbs.push({ title: decoded(thing), href: `${list.href}/${thing}` });
  return crumbs;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
