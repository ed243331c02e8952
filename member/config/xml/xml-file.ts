import type { z } from 'zod';
import { MemberConfigError } from '../config-error.ts';
import { memberSection } from '../config-schema.ts';
import { type Shape, shapeOf, valueFromText } from '../schema-shape.ts';
import { type Path, pathText, type SourceTree } from '../source-tree.ts';
import { readXmlDocument, type XmlElement } from './xml-document.ts';
import { entryNameOf, namedByChild } from './xml-names.ts';

/**
 * Reads the real engine's XML into the tree that YAML gives: the schema tells which elements are
 * sections, collections and values. What it does not know stays in the tree, for the check to name.
 *
 * @param file  its path, for the messages
 * @throws {MemberConfigError} for what is not well-formed, a root that is neither `hazelcast` nor
 *   `svc`, an entry without a name, and elements that are there twice
 */
export function readXml(text: string, file: string): SourceTree {
  const root = readXmlDocument(text, file);
  const reading: Reading = { file, lines: new Map(), problems: [] };
  if (root.name !== 'hazelcast' && root.name !== 'svc') {
    reject(reading, root, [], `the root element is <hazelcast> or <svc>, not <${root.name.slice(0, 100)}>`);
  }
  const section = readElement(reading, root, memberSection, [root.name]);
  if (reading.problems.length > 0) throw new MemberConfigError(reading.problems);
  return { root: { [root.name]: section }, lineOf: (path) => lineOf(reading, path) };
}

/** What is kept of a document on the way through it. */
interface Reading {
  readonly file: string;
  /** By path. */
  readonly lines: Map<string, number>;
  readonly problems: string[];
}

function reject({ file, problems }: Reading, { line }: XmlElement, path: Path, message: string): void {
  const where = path.length === 0 ? '' : `${pathText(path)}: `;
  problems.push(`${file}:${line}: ${where}${message}`);
}

function lineOf({ lines }: Reading, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const line = lines.get(keyOf(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return 1;
}

function keyOf(path: Path): string {
  return path.join('\0');
}

function readElement(reading: Reading, element: XmlElement, schema: z.ZodType, path: Path): unknown {
  reading.lines.set(keyOf(path), element.line);
  const shape = shapeOf(schema);
  if (shape.kind === 'section') return readSection(reading, element, shape.fields, path);
  if (shape.kind === 'named' || shape.kind === 'list') {
    const collection = emptyCollection(shape);
    for (const child of element.children) readEntry(reading, child, { collection, shape, path });
    return collection;
  }
  const isPlain = element.children.length === 0 && element.attributes.size === 0;
  return isPlain ? valueFromText(shape.kind, element.text) : withoutSchema(element);
}

type Fields = Readonly<Record<string, z.ZodType>>;

function readSection(reading: Reading, element: XmlElement, fields: Fields, path: Path): object {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, text] of element.attributes) {
    const field = fields[name];
    values[name] = field === undefined ? text : valueFromText(shapeOf(field).kind, text);
  }
  for (const child of element.children) readChild(reading, child, { values, fields, path });
  if (element.text === '') return values;
  // <port auto-increment="true">5701</port>: the text is the field that is called as the element is.
  const field = fields[element.name];
  if (field === undefined) reject(reading, element, path, 'text where elements belong');
  else values[element.name] = valueFromText(shapeOf(field).kind, element.text);
  return values;
}

interface SectionSoFar {
  readonly values: Record<string, unknown>;
  readonly fields: Fields;
  readonly path: Path;
}

/** Entries may stand in the section itself (`<map name="a"/>`) or in an element for all of them. */
function readChild(reading: Reading, child: XmlElement, { values, fields, path }: SectionSoFar): void {
  const collectionName = Object.keys(fields).find((field) => entryNameOf(field) === child.name);
  const shape = collectionName === undefined ? undefined : shapeOf(fields[collectionName]!);
  if (collectionName !== undefined && (shape?.kind === 'named' || shape?.kind === 'list')) {
    values[collectionName] ??= emptyCollection(shape);
    const collection = values[collectionName] as Collection;
    readEntry(reading, child, { collection, shape, path: [...path, collectionName] });
    return;
  }
  const itsPath = [...path, child.name];
  const field = fields[child.name];
  if (field === undefined) {
    reading.lines.set(keyOf(itsPath), child.line);
    values[child.name] ??= withoutSchema(child);
    return;
  }
  const value = readElement(reading, child, field, itsPath);
  const earlier = values[child.name];
  if (Array.isArray(earlier) && Array.isArray(value)) earlier.push(...value);
  else if (earlier !== undefined) reject(reading, child, itsPath, 'is there twice');
  else values[child.name] = value;
}

type Collection = unknown[] | Record<string, unknown>;
type CollectionShape = Extract<Shape, { kind: 'named' | 'list' }>;

interface CollectionSoFar {
  readonly collection: Collection;
  readonly shape: CollectionShape;
  readonly path: Path;
}

function emptyCollection({ kind }: CollectionShape): Collection {
  return kind === 'list' ? [] : Object.create(null);
}

function readEntry(reading: Reading, entry: XmlElement, { collection, shape, path }: CollectionSoFar): void {
  if (Array.isArray(collection)) {
    const itsPath = [...path, String(collection.length)];
    if (shape.kind === 'list') collection.push(readElement(reading, entry, shape.item, itsPath));
    return;
  }
  const name = nameOf(entry);
  const itsPath = [...path, name ?? ''];
  if (name === undefined) reject(reading, entry, path, 'an entry without a name');
  else if (Object.hasOwn(collection, name)) reject(reading, entry, itsPath, 'is there twice');
  else if (shape.kind === 'named') {
    const attributes = new Map([...entry.attributes].filter(([attribute]) => attribute !== 'name'));
    collection[name] = readElement(reading, { ...entry, attributes }, shape.value, itsPath);
  }
}

function nameOf({ name, attributes, children }: XmlElement): string | undefined {
  const textOf = (key: string) => children.find((child) => child.name === key)?.text;
  return attributes.get('name') ?? namedByChild[name]?.map(textOf).find((text) => text);
}

/** What the schema does not know, as far as a look at `enabled` needs it. */
function withoutSchema({ attributes, children, text }: XmlElement): unknown {
  if (attributes.size === 0 && children.length === 0) return text;
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of attributes) values[name] = valueFromText('boolean', value);
  for (const child of children) values[child.name] ??= withoutSchema(child);
  return values;
}
