import type { Path } from '../source-tree.ts';

/** One thing to write into a configuration file: what is at `path` in the member's section from then on. */
export interface FileEdit {
  readonly path: Path;
  /** As the schema has checked it, in the file's own spelling. */
  readonly value: unknown;
}

/** Sections that are the whole list once they are there, so that a new one must say what was built in. */
export const listSections: readonly string[] = ['map', 'queue'];

/** Where the member list of the TCP/IP join stands, and what else adds to it. */
export const memberListPath: Path = ['network', 'join', 'tcp-ip', 'member-list'];
/** By value: an edit may have come from another process. */
export function isMemberList(path: Path): boolean {
  return path.join('.') === memberListPath.join('.');
}

export const otherMemberKeys: readonly string[] = ['member', 'members'];
