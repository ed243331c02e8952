/** The first ten minutes, a step each: whether it is done is found by asking, and what is put off is kept in the browser. */

import type { Context } from 'koa';
import { ProblemError } from '../../../platform/errors.ts';
import type { ShownApplication } from '../../../views/management/access/applications.tsx';
import { clientHref, type ShownClient } from '../../../views/management/access/clients.tsx';
import type { ShownMember } from '../../../views/management/cluster/member-state.tsx';
import type { ShownBranding } from '../../../views/management/settings/branding.tsx';
import type { ShownStep } from '../../../views/management/settings/start.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { ownCookie, setOwnCookie, yearMs } from '../../http/cookies.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { setGuided } from './guide.ts';

interface Step {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** That says whether it is done. */
  readonly operation: string;
  /** Null: it is one thing and no list. */
  readonly query?: Readonly<Record<string, string>> | null | undefined;
  readonly foundIn: (items: readonly unknown[], hasMore: boolean) => StepFound;
  /** The page that does it, where it stands in the column. */
  readonly page: string;
  /** What does it where there is no such page. */
  readonly command?: string;
}

/** What the answer says of a step. */
interface StepFound {
  readonly isDone: boolean;
  readonly found: string;
  readonly link: {
    readonly label: string;
    readonly href: string;
    /** Without which the page is closed. */
    readonly operation?: string;
  };
}

const cookieName = 'console_start';

/** So many are searched for one that is used. Whoever has made more of them has done the step. */
const mostFound = 10;

interface Known {
  readonly items: readonly unknown[];
  readonly hasMore: boolean;
}

/** What the person may, and has put off. */
interface Reader {
  /** Addresses of pages. */
  readonly open: ReadonlySet<string>;
  readonly may: ReadonlySet<string>;
  readonly later: ReadonlySet<string>;
}

export type StartSteps = ReturnType<typeof createStartSteps>;

/** @param isSecure  the console's public address is https */
export function createStartSteps(tools: PageTools, isSecure: boolean) {
  /** What has been done once is asked for no more by the overview, which everybody opens often. */
  const done = new Map<string, Known>();

  return {
    /** Those that the person may look at. */
    all: (ctx: PageContext) => stepsOf(ctx, (step) => find(ctx, step)),
    /** The same, without asking again for what was done when somebody looked last. */
    remembered: (ctx: PageContext) =>
      stepsOf(ctx, async (step) => {
        const known = done.get(step.id);
        return known ? step.foundIn(known.items, known.hasMore) : find(ctx, step);
      }),
    setGuided: (ctx: Context, isOpen: boolean) => setGuided(ctx, isOpen, isSecure),
    setPutOff(ctx: Context, step: string, isPutOff: boolean): void {
      const t = textFor(ctx);
      if (!steps(t).some(({ id }) => id === step)) return;
      const others = [...putOffIn(ctx)].filter((id) => id !== step);
      const putOff = [...others, ...(isPutOff ? [step] : [])].join('.');
      setOwnCookie(ctx, cookieName, putOff, isSecure, yearMs);
    },
  };

  async function stepsOf(
    ctx: PageContext,
    found: (step: Step) => Promise<StepFound | undefined>,
  ): Promise<readonly ShownStep[]> {
    const t = textFor(ctx);
    const may = await tools.mayRun(ctx, [...steps(t).map(({ operation }) => operation), ...additions]);
    const { groups } = await tools.frame(ctx);
    const open = new Set(groups.flatMap(({ pages }) => pages.map(({ href }) => href)));
    const later = putOffIn(ctx);
    const asked = steps(t).filter(({ operation }) => may.has(operation));
    return Promise.all(asked.map(async (step) => shownOf(step, await found(step), { open, may, later }, t)));
  }

  function shownOf(
    { id, title, about, page, command }: Step,
    seen: StepFound | undefined,
    { open, may, later }: Reader,
    t: Translate,
  ): ShownStep {
    const link = seen?.link;
    const isUsable = link?.operation === undefined || may.has(link.operation);
    const state = seen?.isDone ? 'done' : later.has(id) ? 'later' : 'open';
    return {
      id,
      title,
      about,
      state,
      found: seen?.found ?? t('start.couldNotFoundOut'),
      link: open.has(page) && isUsable ? link : undefined,
      command: open.has(page) ? undefined : command,
    };
  }

  /** A step that cannot be found out leaves the others as they are. */
  async function find(
    ctx: PageContext,
    { id, operation, query = {}, foundIn }: Step,
  ): Promise<StepFound | undefined> {
    try {
      const request = query === null ? {} : { query: { limit: '50', ...query }, isBrief: true };
      const { body } = await tools.run<ListAnswer<unknown> | object>(ctx, operation, request);
      const known =
        'items' in body
          ? { items: body.items, hasMore: body.next !== null }
          : { items: [body], hasMore: false };
      const found = foundIn(known.items, known.hasMore);
      if (found.isDone) done.set(id, known);
      else done.delete(id);
      return found;
    } catch (error) {
      if (error instanceof ProblemError) return undefined;
      throw error;
    }
  }
}

function putOffIn(ctx: Context): ReadonlySet<string> {
  const t = textFor(ctx);
  return new Set(
    ownCookie(ctx, cookieName)
      .split('.')
      .filter((id) => steps(t).some((step) => step.id === id)),
  );
}

/** By which steps are taken, beside those that say whether they are done. */
const additions = ['createUser', 'createClient', 'createApplication', 'createIdentityProvider'];

const steps = (t: Translate): readonly Step[] => [
  {
    id: 'administrator',
    title: t('start.makeTheAdministrator'),
    about: t('start.somebodyWhoMayDo'),
    operation: 'listUsers',
    query: { role: 'Admin' },
    page: '/access/users',
    foundIn: (items) => ({
      isDone: items.length > 0,
      found: t('start.thereAre', { n: items.length }),
      link: { label: t('start.addAnother'), href: '/access/users?do=new', operation: 'createUser' },
    }),
  },
  {
    id: 'name',
    title: t('start.nameTheInstallation'),
    about: t('start.whoSeveralConsolesSees'),
    operation: 'readBranding',
    query: null,
    page: '/settings/branding',
    foundIn: (items) => {
      const { name = null } = (items[0] ?? {}) as Partial<ShownBranding>;
      const found = name === null ? t('start.nameProduct') : t('start.itIsCalled', { name });
      const link = { label: t('common.branding'), href: '/settings/branding' };
      return { isDone: name !== null, found, link };
    },
  },
  {
    id: 'cluster',
    title: t('start.seeTheCluster'),
    about: t('start.consoleShowsMembersFinds'),
    operation: 'listMembers',
    page: '/cluster/members',
    foundIn: (items) => {
      const ready = (items as readonly ShownMember[]).filter(({ health }) => health === 'ready').length;
      return {
        isDone: ready > 0,
        found: ready === 0 ? t('start.noMemberReady') : t('start.ready', { n: ready }),
        link: { label: t('common.members'), href: '/cluster/members' },
      };
    },
  },
  {
    id: 'client',
    title: t('start.makeMachineClientRun'),
    about: t('start.programSecretItsOwn'),
    operation: 'listClients',
    query: { kind: 'machine', limit: String(mostFound) },
    page: '/access/clients',
    foundIn: (items, hasMore) => {
      const own = (items as readonly ShownClient[]).filter(({ owner }) => owner.kind !== 'settings');
      const used = own.find(({ lastUsedAt }) => lastUsedAt !== null);
      const [first] = own;
      if (used) {
        const link = { label: t('common.machineClients'), href: '/access/clients' };
        return { isDone: true, found: t('start.gotToken', { id: used.id }), link };
      }
      if (hasMore) {
        const link = { label: t('common.machineClients'), href: '/access/clients' };
        return { isDone: true, found: t('start.thereAreMore', { n: mostFound }), link };
      }
      if (!first) {
        const link = {
          label: t('common.addMachineClient'),
          href: '/access/clients?do=new',
          operation: 'createClient',
        };
        return { isDone: false, found: t('start.noneYet'), link };
      }
      const link = { label: t('start.runItsCall'), href: clientHref(first.id) };
      return {
        isDone: false,
        found: t('start.gotNoTokenYet', { id: first.id }),
        link,
      };
    },
  },
  {
    id: 'dashboard',
    title: t('start.connectADashboard'),
    about: t('start.applicationPeopleSignThrough'),
    operation: 'listApplications',
    query: { limit: String(mostFound) },
    page: '/access/applications',
    foundIn: (items, hasMore) => {
      const used = (items as readonly ShownApplication[]).find(({ lastUsedAt }) => lastUsedAt !== null);
      const link = {
        label: t('common.addApplication'),
        href: '/access/applications?do=new',
        operation: 'createApplication',
      };
      if (used) return { isDone: true, found: t('start.signedSomebody', { id: used.id }), link };
      return hasMore
        ? { isDone: true, found: t('start.thereAreMore', { n: mostFound }), link }
        : { isDone: false, found: t('start.noneSignedAnybodyYet'), link };
    },
  },
  {
    id: 'provider',
    title: t('start.connectIdentityProvider'),
    about: t('start.peopleSignAccountThey'),
    operation: 'listIdentityProviders',
    page: '/access/identity-providers',
    command: 'npx console idp add --help',
    foundIn: (items) => {
      const [first] = items as readonly { readonly id: string }[];
      const found = first ? t('start.isConnected', { id: first.id }) : t('start.noneYet');
      const link = {
        label: t('common.addIdentityProvider'),
        href: '/access/identity-providers?do=new',
        operation: 'createIdentityProvider',
      };
      return { isDone: first !== undefined, found, link };
    },
  },
  {
    id: 'backup',
    title: t('start.takeABackup'),
    about: t('start.copyStoreDataDirectory'),
    operation: 'listBackups',
    page: '/observe/jobs',
    foundIn: (items) => ({
      isDone: items.length > 0,
      found: items.length === 0 ? t('start.noBackupYet') : t('start.backups', { n: items.length }),
      link: { label: t('common.jobs'), href: '/observe/jobs' },
    }),
  },
];
