/** Origins of redirect addresses: whose pages may call (S23). Looked up one by one, for there may be a million clients. */
import type { RecordStore } from '../storage/record-store.ts';
import type { ClientRecord } from '../storage/records.ts';

type ClientsById = ReadonlyMap<string, ClientRecord>;

export interface RedirectOriginsDeps {
  readonly records: Pick<RecordStore, 'isRedirectOrigin' | 'onChange'>;
  /** The clients that settings imply; the same map for as long as the settings are the same. */
  readonly derived: () => ClientsById;
}

/** Anybody may send any origin, so what is remembered is little. */
const mostRemembered = 1_000;

export function createRedirectOrigins({ records, derived }: RedirectOriginsDeps) {
  let own: { readonly of: ClientsById; readonly origins: ReadonlySet<string> } | undefined;
  let answers = new Map<string, Promise<boolean>>();

  records.onChange((changes) => {
    if (changes.some(({ collection }) => collection === 'clients')) answers = new Map();
  });

  return {
    /** Whether an enabled client has a redirect address of this origin. */
    isRedirectOrigin(origin: string): boolean | Promise<boolean> {
      if (origin === 'null') return false;
      return ofSettings().has(origin) || (answers.get(origin) ?? ask(origin));
    },
    /** Those of the clients that settings imply; the same set until they change. */
    ofSettings,
  };

  function ask(origin: string): Promise<boolean> {
    const asked = answers;
    const answer = records.isRedirectOrigin(origin);
    if (asked.size >= mostRemembered) asked.clear();
    asked.set(origin, answer);
    // What failed is asked again.
    answer.catch(() => asked.delete(origin));
    return answer;
  }

  function ofSettings(): ReadonlySet<string> {
    const of = derived();
    if (own?.of !== of) own = { of, origins: originsOf(of) };
    return own.origins;
  }
}

function originsOf(clients: ClientsById): ReadonlySet<string> {
  const uris = [...clients.values()].flatMap(({ redirectUris }) => redirectUris);
  return new Set(uris.map((uri) => new URL(uri).origin).filter((origin) => origin !== 'null'));
}
