import { type Document, isMap, parseDocument } from 'yaml';
import { type FileEdit, isMemberList, listSections, otherMemberKeys } from '../changes/file-edits.ts';

/**
 * Writes edits into the text of a YAML configuration; comments and order stay as they are.
 *
 * @param text  a configuration that has been read without a problem
 */
export function editYaml(text: string, edits: readonly FileEdit[]): string {
  const document = parseDocument(text);
  const root = isMap(document.contents) && document.has('hazelcast') ? 'hazelcast' : 'svc';
  for (const { path, value } of edits) {
    const [section = ''] = path;
    const isNewList = listSections.includes(section) && document.getIn([root, section]) === undefined;
    if (isNewList) put(document, [root, section, 'default'], {});
    put(document, [root, ...path], value);
    if (isMemberList(path)) {
      for (const key of otherMemberKeys) document.deleteIn([root, ...path.slice(0, -1), key]);
    }
  }
  return document.toString({ lineWidth: 0 });
}

/** Makes the maps on the way: `map:` with nothing behind it is none yet. */
function put(document: Document, path: readonly string[], value: unknown): void {
  if (!isMap(document.contents)) document.contents = document.createNode({});
  for (let length = 1; length < path.length; length += 1) {
    const parent = path.slice(0, length);
    if (!isMap(document.getIn(parent, true))) document.setIn(parent, document.createNode({}));
  }
  document.setIn(path, document.createNode(value));
}
