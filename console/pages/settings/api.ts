/** `/settings/api`: what programs may call, from the descriptions that the build has written. */

import { readFile } from 'node:fs/promises';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { builtFile } from '../../../platform/installation.ts';
import type { Language } from '../../../views/elements/moment.ts';
import { renderApi, type ShownInterface } from '../../../views/management/settings/api.tsx';
import { renderExplorer, type TriedCalls } from '../../../views/management/settings/explorer.tsx';
import { memberCallsInGerman, memberGroupsInGerman } from '../../../views/texts/de/api/member-calls.ts';
import { operationsInGerman } from '../../../views/texts/de/api/operations.ts';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

/** What is read of a document in OpenAPI 3.1. */
interface Description {
  readonly info: { readonly title: string; readonly version: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedCall>>>>;
}

interface DescribedCall {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

interface Source {
  readonly id: string;
  readonly file: string;
  readonly href: string;
  readonly about: string;
  /** Before each of its paths. */
  readonly base: string;
  /** What of it is called by the session of a page. */
  readonly tried: TriedCalls;
  /** By the id of the operation, and by the name of the group: in the language of the page, where somebody has said it so. */
  readonly said: Readonly<Record<string, string>>;
  readonly groups: Readonly<Record<string, string>>;
}

const sources = (t: Translate): readonly Source[] => [
  {
    id: 'console',
    file: 'console/openapi.json',
    href: '/api/openapi.json',
    about: t('api.whatThesePagesDo'),
    base: '/api/v1',
    tried: 'all',
    said: t.language === 'de' ? operationsInGerman : {},
    groups: {},
  },
  {
    id: 'members',
    file: 'console/members-openapi.json',
    href: '/api/members-openapi.json',
    about: t('api.whatMembersTakeThrough'),
    base: '',
    tried: 'reads',
    said: t.language === 'de' ? memberCallsInGerman : {},
    groups: t.language === 'de' ? memberGroupsInGerman : {},
  },
];

const methods: readonly string[] = ['get', 'put', 'post', 'patch', 'delete'];

export function createApiPage(tools: PageTools) {
  /** They do not change while this program runs. */
  const read = new Map<Language, Promise<readonly ShownInterface[]>>();
  return {
    async show(ctx: PageContext): Promise<void> {
      await tools.check(ctx, 'listSettings');
      const interfaces = await interfacesIn(textFor(ctx));
      tools.send(ctx, renderApi({ frame: await tools.frame(ctx), interfaces }));
    },
    /** `GET /settings/api/:interface` */
    async explore(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      await tools.check(ctx, 'listSettings');
      const found = (await interfacesIn(t)).find(({ id }) => id === ctx.params.interface);
      if (!found) throw new ProblemError(problems.notFound, t('api.noSuchInterface'));
      const { title, href, id } = found;
      const { tried } = sources(t).find((source) => source.id === id)!;
      const model = { frame: await tools.frame(ctx), title, href, tried, csrf: tools.csrf(ctx) };
      tools.send(ctx, renderExplorer(model));
    },
  };

  function interfacesIn(t: Translate): Promise<readonly ShownInterface[]> {
    const interfaces =
      read.get(t.language) ??
      Promise.all(sources(t).map(readInterface)).then((all) => all.flatMap((one) => one ?? []));
    read.set(t.language, interfaces);
    return interfaces;
  }
}

/** @returns undefined in an installation that was built without it */
async function readInterface({ file, ...source }: Source): Promise<ShownInterface | undefined> {
  const text = await readFile(builtFile(file), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { info, tags = [], paths } = JSON.parse(text) as Description;
  const calls = Object.entries(paths).flatMap(([path, ways]) =>
    Object.entries(ways)
      .filter(([method]) => methods.includes(method))
      .map(([method, { operationId = '', summary = '', tags: [tag = ''] = [], security = [] }]) => ({
        tag,
        method: method.toUpperCase(),
        path: source.base + path,
        summary: source.said[operationId] ?? summary.replaceAll('`', ''),
        isEnglish: source.said[operationId] === undefined,
        scope: security.flatMap((one) => Object.values(one).flat())[0],
      })),
  );
  const groups = tags.map(({ name, description }) => ({
    name,
    about: source.groups[name] ?? description,
    isEnglish: source.groups[name] === undefined,
    calls: calls.filter(({ tag }) => tag === name),
  }));
  const { id, href, about } = source;
  return {
    id,
    href,
    about,
    title: info.title,
    version: info.version,
    groups: groups.filter((group) => group.calls.length > 0),
  };
}
