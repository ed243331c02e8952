/**
 * What members were given as configuration through this console, section by section: they tell none of theirs over REST, so that
 * this is all that a change can be compared with. It may have passwords in it, and is stored like other secrets.
 */
import type { ArtifactStore } from '../storage/storage.ts';

export interface SentConfig {
  /** By section and name (`map orders`), in YAML; null: members have one of another origin. The same object until it changes. */
  read(): Promise<ReadonlyMap<string, string | null>>;
  /** Adds what members have said of a change. */
  remember(sections: ReadonlyMap<string, string | null>): Promise<void>;
}

export interface SentConfigDeps {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put'>;
  readonly cipher: {
    encrypt(text: string, label: string): string;
    open(stored: string, label: string): string;
  };
}

const kind = 'SentMemberConfig';
const id = 'sections';
/** The ones sent last stay. */
const mostSections = 2_000;
const mostCharacters = 1024 * 1024;
const nothingSent: ReadonlyMap<string, string | null> = new Map();

export function createSentConfig({ artifacts, cipher }: SentConfigDeps): SentConfig {
  let latest: { readonly stored: string; readonly sections: ReadonlyMap<string, string | null> } | undefined;
  const read = async (): Promise<ReadonlyMap<string, string | null>> => {
    const stored = (await artifacts.get(kind, id))?.payload.sections;
    if (typeof stored !== 'string') return nothingSent;
    if (latest?.stored === stored) return latest.sections;
    const sections = new Map(JSON.parse(cipher.open(stored, kind)) as [string, string | null][]);
    latest = { stored, sections };
    return sections;
  };
  return {
    read,
    async remember(sections) {
      const all = new Map(await read());
      for (const [key, text] of sections) {
        // What is known of it is more than that it is there.
        if (text === null && all.has(key)) continue;
        all.delete(key);
        all.set(key, text);
      }
      const sectionsLeft = JSON.stringify(newest([...all]));
      await artifacts.put(kind, id, { payload: { sections: cipher.encrypt(sectionsLeft, kind) } });
    },
  };
}

function newest(sections: readonly (readonly [string, string | null])[]) {
  let left = mostCharacters;
  const stored = sections
    .slice(-mostSections)
    .toReversed()
    .filter(([key, text]) => {
      left -= key.length + (text?.length ?? 0);
      return left >= 0;
    });
  return stored.toReversed();
}
