/** For build.js: the files that are served. */
import { parse } from 'yaml';
import { operations } from '../admin-api/table.ts';
import { describeApi } from './description.ts';

/** @returns their text by the path below `dist/` */
export function descriptions(version: string, ofMembers: string): Record<string, string> {
  const members = parse(ofMembers) as { readonly servers: readonly object[] };
  // Whoever reads it here calls the members through here.
  const servers = [
    { url: '/', description: 'through the console that gave this description' },
    ...members.servers,
  ];
  return {
    'console/openapi.json': JSON.stringify(describeApi(operations, version)),
    'console/members-openapi.json': JSON.stringify({ ...members, servers }),
  };
}
