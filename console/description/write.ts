/** For build.js: the files that are served. */
import { parse } from 'yaml';
import { operations } from '../admin-api/table.ts';
import { describeApi } from './description.ts';

/** @returns their text by the path below `dist/` */
export function descriptions(version: string, ofMembers: string): Record<string, string> {
  return {
    'console/openapi.json': JSON.stringify(describeApi(operations, version)),
    'console/members-openapi.json': JSON.stringify(parse(ofMembers)),
  };
}
