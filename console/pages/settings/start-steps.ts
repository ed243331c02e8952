/** The first ten minutes, a step each: whether it is done is found by asking, and what is put off is kept in the browser. */
import type { Context } from 'koa';
import { ProblemError } from '../../../platform/errors.ts';
import type { ShownApplication } from '../../../views/management/access/applications.tsx';
import { clientHref, type ShownClient } from '../../../views/management/access/clients.tsx';
import type { ShownMember } from '../../../views/management/cluster/members.tsx';
import type { ShownBranding } from '../../../views/management/settings/branding.tsx';
import type { ShownStep } from '../../../views/management/settings/start.tsx';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

interface Step {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** That says whether it is done. */
  readonly operation: string;
  /** Null: it is one thing and no list. */
  readonly query?: Readonly<Record<string, string>> | null | undefined;
  readonly foundIn: (items: readonly unknown[]) => StepFound;
  /** The page that does it, where it stands in the column. */
  readonly page: string;
  /** What does it where there is no such page. */
  readonly command?: string;
}

/** What the answer says of a step. */
interface StepFound {
  readonly isDone: boolean;
  readonly found: string;
  readonly link: { readonly label: string; readonly href: string };
}

const cookieName = 'console_start';
const dayMs = 86_400_000;

export type StartSteps = ReturnType<typeof createStartSteps>;

/** @param isSecure  the console's public address is https */
export function createStartSteps(tools: PageTools, isSecure: boolean) {
  /** What has been done once is asked for no more by the overview, which everybody opens often. */
  const done = new Map<string, StepFound>();

  return {
    /** Those that the person may look at. */
    all: (ctx: PageContext) => stepsOf(ctx, (step) => find(ctx, step)),
    /** The same, without asking again for what was done when somebody looked last. */
    remembered: (ctx: PageContext) => stepsOf(ctx, async (step) => done.get(step.id) ?? find(ctx, step)),
    setPutOff(ctx: Context, step: string, isPutOff: boolean): void {
      if (!steps.some(({ id }) => id === step)) return;
      const others = [...putOffIn(ctx)].filter((id) => id !== step);
      ctx.cookies.set(cookieName, [...others, ...(isPutOff ? [step] : [])].join('.'), {
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure: isSecure,
        signed: false,
        maxAge: 365 * dayMs,
        overwrite: true,
      });
    },
  };

  async function stepsOf(
    ctx: PageContext,
    found: (step: Step) => Promise<StepFound | undefined>,
  ): Promise<readonly ShownStep[]> {
    const may = await tools.mayRun(
      ctx,
      steps.map(({ operation }) => operation),
    );
    const { groups } = await tools.frame(ctx);
    const open = new Set(groups.flatMap(({ pages }) => pages.map(({ href }) => href)));
    const later = putOffIn(ctx);
    const asked = steps.filter(({ operation }) => may.has(operation));
    return Promise.all(asked.map(async (step) => shownOf(step, await found(step), open, later)));
  }

  function shownOf(
    { id, title, about, page, command }: Step,
    seen: StepFound | undefined,
    open: ReadonlySet<string>,
    later: ReadonlySet<string>,
  ): ShownStep {
    const state = seen?.isDone ? 'done' : later.has(id) ? 'later' : 'open';
    return {
      id,
      title,
      about,
      state,
      found: seen?.found ?? 'This could not be found out now.',
      link: open.has(page) ? seen?.link : undefined,
      command: open.has(page) ? undefined : command,
    };
  }

  /** A step that cannot be found out leaves the others as they are. */
  async function find(
    ctx: PageContext,
    { id, operation, query = {}, foundIn }: Step,
  ): Promise<StepFound | undefined> {
    try {
      const request = query === null ? {} : { query: { limit: '50', ...query } };
      const { body } = await tools.run<ListAnswer<unknown> | object>(ctx, operation, request);
      const found = foundIn('items' in body ? body.items : [body]);
      if (found.isDone) done.set(id, found);
      else done.delete(id);
      return found;
    } catch (error) {
      if (error instanceof ProblemError) return undefined;
      throw error;
    }
  }
}

function putOffIn(ctx: Context): ReadonlySet<string> {
  const given = ctx.cookies.get(cookieName, { signed: false }) ?? '';
  return new Set(
    given
      .slice(0, 256)
      .split('.')
      .filter((id) => steps.some((step) => step.id === id)),
  );
}

const steps: readonly Step[] = [
  {
    id: 'administrator',
    title: 'Make the administrator',
    about: 'Somebody who may do everything. A second one is there when the first has lost the password.',
    operation: 'listUsers',
    query: { role: 'Admin' },
    page: '/access/users',
    foundIn: (items) => ({
      isDone: items.length > 0,
      found: items.length === 1 ? 'There is one.' : `There are ${items.length}.`,
      link: { label: 'Add another', href: '/access/users?do=new' },
    }),
  },
  {
    id: 'name',
    title: 'Name the installation',
    about: 'Who has several consoles sees in the bar, and before a sign-in, which one this is.',
    operation: 'readBranding',
    query: null,
    page: '/settings/branding',
    foundIn: (items) => {
      const { name = null } = (items[0] ?? {}) as Partial<ShownBranding>;
      const found = name === null ? 'It has the name of the product.' : `It is called ${name}.`;
      const link = { label: 'Branding', href: '/settings/branding' };
      return { isDone: name !== null, found, link };
    },
  },
  {
    id: 'cluster',
    title: 'See the cluster',
    about: 'The console shows the members that it finds, and sends calls to those that are ready.',
    operation: 'listMembers',
    page: '/cluster/members',
    foundIn: (items) => {
      const ready = (items as readonly ShownMember[]).filter(({ health }) => health === 'ready').length;
      return {
        isDone: ready > 0,
        found: ready === 0 ? 'No member is ready.' : ready === 1 ? 'One is ready.' : `${ready} are ready.`,
        link: { label: 'Members', href: '/cluster/members' },
      };
    },
  },
  {
    id: 'client',
    title: 'Make a machine client and run its call',
    about:
      'A program with a secret of its own, which may read one map and nothing else. Its page has the call to paste.',
    operation: 'listClients',
    query: { kind: 'machine' },
    page: '/access/clients',
    foundIn: (items) => {
      const own = (items as readonly ShownClient[]).filter(({ owner }) => owner.kind !== 'settings');
      const used = own.find(({ lastUsedAt }) => lastUsedAt !== null);
      const [first] = own;
      if (used) {
        const link = { label: 'Machine clients', href: '/access/clients' };
        return { isDone: true, found: `${used.id} has got a token.`, link };
      }
      if (!first) {
        const link = { label: 'Add machine client', href: '/access/clients?do=new' };
        return { isDone: false, found: 'There is none yet.', link };
      }
      const link = { label: 'Run its call', href: clientHref(first.id) };
      return {
        isDone: false,
        found: `${first.id} has got no token yet. One that it gets is seen here within a minute.`,
        link,
      };
    },
  },
  {
    id: 'dashboard',
    title: 'Connect a dashboard',
    about: 'An application that people sign in to through this console. Its page has the settings to paste.',
    operation: 'listApplications',
    page: '/access/applications',
    foundIn: (items) => {
      const used = (items as readonly ShownApplication[]).find(({ lastUsedAt }) => lastUsedAt !== null);
      const found = used ? `${used.id} has signed somebody in.` : 'None has signed anybody in yet.';
      const link = { label: 'Add application', href: '/access/applications?do=new' };
      return { isDone: used !== undefined, found, link };
    },
  },
  {
    id: 'provider',
    title: 'Connect an identity provider',
    about:
      'People sign in with the account that they have at work. A dry run says what is wrong before anybody tries.',
    operation: 'listIdentityProviders',
    page: '/access/identity-providers',
    command: 'npx console idp add --help',
    foundIn: (items) => {
      const [first] = items as readonly { readonly id: string }[];
      const found = first ? `${first.id} is connected.` : 'There is none yet.';
      const link = { label: 'Add identity provider', href: '/access/identity-providers?do=new' };
      return { isDone: first !== undefined, found, link };
    },
  },
  {
    id: 'backup',
    title: 'Take a backup',
    about:
      'A copy of the store in the data directory: users, clients, keys. Take it away from this machine, too.',
    operation: 'listBackups',
    page: '/observe/jobs',
    foundIn: (items) => ({
      isDone: items.length > 0,
      found: items.length === 0 ? 'There is none yet.' : `There are ${items.length}.`,
      link: { label: 'Jobs', href: '/observe/jobs' },
    }),
  },
];
