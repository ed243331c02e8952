/** What comes of the configuration of another server: a description, its secrets, and what has no counterpart here. */

type Described = Readonly<Record<string, unknown>>;

export interface Imported {
  /** As a file of configuration has it. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Files that the description names, beside it. */
  readonly secrets: readonly { readonly path: string; readonly value: string }[];
  /** Each with why, and what can be done instead. */
  readonly leftOut: readonly LeftOut[];
}

export interface LeftOut {
  readonly what: string;
  readonly why: string;
}

/** Gathers them while a file is gone through. */
export interface Draft {
  readonly leftOut: LeftOut[];
  add(kind: string, id: string, described: Described): void;
  /** @param value  undefined: it is not in the file, and whoever applies the description puts it there */
  secret(path: string, value: string | undefined): { readonly file: string };
  leave(what: string, why: string): void;
  /** What a role of the other server stands for here; undefined: nobody has said it. */
  roleFor(name: string): string | undefined;
  finish(source: string): Imported;
}

/** In the order in which a file has them. */
const kinds = ['roles', 'identityProviders', 'clients', 'applications', 'users'];

/** @param roles  by the other server’s names */
export function createDraft(roles: ReadonlyMap<string, string>): Draft {
  const objects = new Map<string, Map<string, Described>>();
  const secrets: { readonly path: string; readonly value: string }[] = [];
  const leftOut: LeftOut[] = [];
  return {
    leftOut,
    add(kind, id, described) {
      const ofKind = objects.get(kind) ?? new Map<string, Described>();
      objects.set(kind, ofKind);
      ofKind.set(id, described);
    },
    secret(path, value) {
      if (value === undefined)
        leftOut.push({ what: path, why: 'the secret is not in the file: put it there' });
      else secrets.push({ path, value });
      return { file: path };
    },
    leave: (what, why) => void leftOut.push({ what, why }),
    roleFor: (name) => roles.get(name),
    finish(source) {
      const described = kinds.flatMap((kind) => {
        const ofKind = objects.get(kind);
        return ofKind ? [[kind, Object.fromEntries(ofKind)] as const] : [];
      });
      return { document: { version: 1, source, ...Object.fromEntries(described) }, secrets, leftOut };
    },
  };
}

/** Without what is not said. */
export function said(fields: Readonly<Record<string, unknown>>): Described {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** For a provider: 1 to 32 characters of a-z, 0-9 and -. */
export function providerIdOf(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 32).replaceAll(/^-+|-+$/g, '') || 'provider';
}
