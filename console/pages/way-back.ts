/** Where somebody goes on who a page, or a form of one, could not serve. */
import type { Context } from 'koa';
import { type Problem, problems } from '../../platform/errors.ts';
import type { WayBack } from '../../views/error.tsx';
import { siteMap } from './site-map.ts';

const account: WayBack = { href: '/account', title: 'common.yourAccount' };
/** The longest address first: it says most closely where a page is. */
const pages: readonly WayBack[] = [account, ...siteMap.flatMap(({ pages: own, ...group }) => [group, ...own])]
  .filter(({ href }) => href !== '/')
  .map(({ href, title }) => ({ href, title: title! }))
  .sort((one, other) => other.href.length - one.href.length);

/** The console itself could not do it: the page of the thing is there. */
const ownProblems: ReadonlySet<Problem> = new Set([problems.storageUnavailable, problems.auditUnavailable]);

/**
 * To the page that the form came from or, where what it was about cannot be had now, to the nearest page above it.
 *
 * @returns undefined for what is no management page, and where nothing is above it
 */
export function wayBack(
  ctx: Pick<Context, 'path' | 'method' | 'querystring' | 'is'>,
  problem: Problem,
): WayBack | undefined {
  const { path, method, querystring } = ctx;
  const isQuestion = method === 'GET' || method === 'HEAD';
  const isFile = typeof ctx.is('multipart') === 'string';
  const isAsked = !isQuestion || querystring !== '';
  const here = pages.find(({ href }) => href === path);
  if (here && isAsked) return here;
  const above = pages.find(({ href }) => path.startsWith(`${href}/`));
  if (!above || above.href === account.href) return above;
  // What a query asks of a thing may be wrong, and the thing is there.
  const isThere = problem.status !== 404 && (problem.status <= 500 || ownProblems.has(problem));
  // A file has an address of its own, beneath that of the thing.
  if (isAsked && isThere) return { href: isFile ? path.slice(0, path.lastIndexOf('/')) : path };
  return above;
}
