/** What code, tests and papers point to is there: in the repository, or a standard that everybody can read. */
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rooms } from './rooms.ts';
import { exists, productFolders, read, type Source, sources } from './sources.ts';

/** Papers that are not in the repository, however they are called. */
const elsewhere = [
  /\b[Tt]he spec\b/,
  /\b[Ss]pec \u00a7? ?\d/,
  /\b[Tt]he (?:contract)\b|\b[Cc]ontract,? "/,
  /\b(?:[Rr]eference|[Ss]ource) \u00a7? ?\d/,
  /\bfindings\.md|\bmember-rest\.md|\boidc-provider\.md|\bstyle\.md|\.\.\/shared(?![\w-])/,
];

const sign = '\u00a7';

/** Standards by the names that are used here, each with what may stand between it and its section. */
const standard =
  /(?:RFC \d+|OpenID Connect [\w .-]*?|OIDC (?:Core|Discovery)|(?:RP-Initiated|Back-Channel|Front-Channel) Logout(?: 1\.0)?|SAML (?:Core|Bindings|Profiles|Metadata)|(?:Core|Bindings|Profiles)|NIST SP [\w-]+|FAPI 2\.0|W3C Trace Context|XML 1\.0|ITU-T X\.690|\[MS-DTYP\]|UTS #39),? \u00a7$/;

test('nothing cites a paper that is not in the repository', () => {
  expect(linesThat((line) => elsewhere.some((citation) => citation.test(line)))).toEqual([]);
});

test('every section that is cited is one of a public standard, named with it', () => {
  const nameless = sources.flatMap(({ path, text }) => {
    // A comment may break between the name and the sign.
    const flat = text.replace(/\n\s*(?:\*|\/\/)? */g, ' ');
    return [...flat.matchAll(/\u00a7/g)]
      .map(({ index }) => flat.slice(Math.max(0, index - 90), index + 8))
      .filter((around) => !isOfStandard(around.slice(0, around.lastIndexOf(sign) + 1)))
      .map((around) => `${path}: …${around}`);
  });
  expect(nameless).toEqual([]);
});

test('every error that is said to be thrown is one that code knows', () => {
  const code = sources.filter(({ path }) => /\.tsx?$/.test(path));
  const withoutComments = code.map(({ text }) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')).join('\n');
  const known = new Set(withoutComments.match(/\b\w*(?:Error|Failure)\b/g));
  const unknown = code.flatMap(({ path, text }) =>
    [...text.matchAll(/@throws \{(\w+)\}/g)]
      .map(([, name]) => `${path}: ${name}`)
      .filter((each) => {
        return !known.has(each.slice(each.indexOf(': ') + 2));
      }),
  );
  expect(unknown).toEqual([]);
});

test('every decision that is cited is there', () => {
  const records = sources.flatMap(({ path }) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1] ?? []);
  expect(records.length).toBeGreaterThan(15);
  const missing = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\bdecisions?[ /]([1-9]\d?|\d{4})\b/g)]
      .filter(([, number]) => !records.includes(number!.padStart(4, '0')))
      .map(([citation]) => `${path}: ${citation}`),
  );
  expect(missing).toEqual([]);
});

test('every relative link of a paper leads to a file that is there, and to a heading that it has', () => {
  const papers = sources.filter(({ path }) => path.endsWith('.md'));
  const links = papers.flatMap(({ path, text }) =>
    [...withoutBlocks(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link]) => ({
      from: path,
      link: link!,
    })),
  );
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(({ from, link }) => {
    const [file, heading] = link.split('#');
    return !leadsTo(file ? normalize(join(dirname(from), file)) : from, heading);
  });
  expect(broken).toEqual([]);
});

test('every path of a paper that is named from the root is there, headings included', () => {
  const named = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w./-])docs\/[\w./-]*\w(?:#[\w-]+)?/g)].map(([link]) => ({ from: path, link })),
  );
  expect(named.length).toBeGreaterThan(100);
  const broken = named.filter(({ link }) => {
    const [path, heading] = link.split('#');
    // A decision may be named by its number alone.
    if (/^docs\/decisions\/\d{4}$/.test(path!)) return !sources.some((file) => file.path.startsWith(path!));
    return !leadsTo(path!, heading);
  });
  expect(broken).toEqual([]);
});

test('every file of code that a paper names from the root is there', () => {
  const code = new RegExp(`\`((?:${[...productFolders, 'test'].join('|')})/[\\w./-]*)\``, 'g');
  const papers = sources.filter(({ path }) => path.endsWith('.md') && path !== 'CHANGELOG.md');
  const named = papers.flatMap(({ path, text }) =>
    [...text.matchAll(code)].map(([, file]) => ({ from: path, file: file! })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ file }) => !exists(file))).toEqual([]);
});

describe('the papers at the door', () => {
  const papers = ['ARCHITECTURE.md', 'CONTRIBUTING.md'].map((path) => ({ path, text: read(path) }));

  test('name no path that is not there, in drawings and tables too', () => {
    const path = new RegExp(
      `(?<![\\w./-])(?:${[...productFolders, 'test', 'docs'].join('|')})/[\\w./-]*`,
      'g',
    );
    const named = papers.flatMap(({ path: from, text }) =>
      [...text.matchAll(path)].map(([file]) => ({ from, file: file.replace(/\.$/, '') })),
    );
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter(({ file }) => !exists(file))).toEqual([]);
  });

  test('say of each room what it owns', () => {
    const layout = papers[0]!.text.split('\n').filter((line) => /^ *[a-z]/.test(line));
    const isReported = (room: string) => layout.some((line) => new RegExp(`^ *${room}/ +\\S`).test(line));
    expect(Object.keys(rooms).filter((room) => !isReported(room))).toEqual([]);
  });
});

/** Of several sections after one name (2.4, 2.6; 2 to 4), the name counts for all. */
function isOfStandard(before: string): boolean {
  const first = before.replace(/\u00a7[\w.]+(?:-[\w.]+)?(?: item \d+)?(?:,| to| and|;)? (?=\u00a7$)/, '');
  return standard.test(before) || (first !== before && isOfStandard(first));
}

function leadsTo(path: string, heading: string | undefined): boolean {
  if (!exists(path)) return false;
  return heading === undefined || headingsOf(read(path)).includes(heading);
}

/** As GitHub makes anchors of headings. */
function headingsOf(text: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) => {
    const anchor = title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
}

function withoutBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '');
}

function linesThat(isMeant: (line: string, source: Source) => boolean): string[] {
  return sources.flatMap((source) =>
    source.text
      .split('\n')
      .flatMap((line, i) => (isMeant(line, source) ? [`${source.path}:${i + 1}: ${line.trim()}`] : [])),
  );
}
