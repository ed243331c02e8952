import { DOMParser, XMLSerializer } from '@xmldom/xmldom';
import type { z } from 'zod';
import { type FileEdit, isMemberList, listSections, otherMemberKeys } from '../changes/file-edits.ts';
import { memberSection } from '../config-schema.ts';
import { shapeOf } from '../schema-shape.ts';
import { isObject, type Path } from '../source-tree.ts';
import { entryNameOf, namedByChild } from './xml-names.ts';

/**
 * Writes edits into the text of an XML configuration; comments and order stay as they are.
 *
 * @param text  a configuration that has been read without a problem
 */
export function editXml(text: string, edits: readonly FileEdit[]): string {
  const document = new DOMParser().parseFromString(text, 'text/xml');
  const root = document.documentElement;
  for (const { path, value } of edits) {
    const [section = ''] = path;
    if (listSections.includes(section) && !childrenOf(root).some(({ localName }) => localName === section)) {
      append(root, section).setAttribute('name', 'default');
    }
    if (isMemberList(path)) {
      const join = find(root, memberSection, path.slice(0, -1));
      for (const child of childrenOf(join.element)) {
        if (['member-list', ...otherMemberKeys].includes(child.localName)) join.element.removeChild(child);
      }
    }
    const { element, schema } = find(root, memberSection, path);
    fill(element, value, schema);
  }
  return new XMLSerializer().serializeToString(document);
}

interface Place {
  readonly element: Element;
  readonly schema: z.ZodType;
}

/** The element at `path`, made on the way where it is not there yet. */
function find(element: Element, schema: z.ZodType, path: Path): Place {
  const [key, ...rest] = path;
  const shape = shapeOf(schema);
  if (key === undefined || shape.kind !== 'section') return { element, schema };
  const field = shape.fields[key]!;
  const fieldShape = shapeOf(field);
  const [name, ...further] = rest;
  if (fieldShape.kind !== 'named' || name === undefined) {
    const child = childrenOf(element).find(({ localName }) => localName === key) ?? append(element, key);
    return find(child, field, rest);
  }
  const entry = childrenOf(element).find(
    (child) => child.localName === entryNameOf(key) && nameOf(child) === name,
  );
  return find(entry ?? appendEntry(element, key, name), fieldShape.value, further);
}

function nameOf(element: Element): string | undefined {
  const keys = namedByChild[element.localName];
  if (keys === undefined) return element.getAttribute('name') ?? undefined;
  const textOf = (key: string) => childrenOf(element).find(({ localName }) => localName === key)?.textContent;
  return keys.map(textOf).find((text) => text) ?? undefined;
}

/** Writes a checked value: `enabled` and what evicts are attributes, as the real engine's schema has them. */
function fill(element: Element, value: unknown, schema: z.ZodType): void {
  const shape = shapeOf(schema);
  if (Array.isArray(value) && shape.kind === 'list') {
    for (const item of value) fill(append(element, entryNameOf(element.localName)), item, shape.item);
  } else if (!isObject(value) || shape.kind !== 'section') {
    element.textContent = String(value);
  } else {
    for (const [key, inner] of Object.entries(value)) {
      if (inner !== undefined) fillField(element, { key, inner, field: shape.fields[key]! });
    }
  }
}

interface Field {
  readonly key: string;
  readonly inner: unknown;
  readonly field: z.ZodType;
}

function fillField(element: Element, { key, inner, field }: Field): void {
  const shape = shapeOf(field);
  if (shape.kind === 'named' && isObject(inner)) {
    for (const [name, entry] of Object.entries(inner)) {
      fill(appendEntry(element, key, name), entry, shape.value);
    }
  } else if (!isObject(inner) && (key === 'enabled' || element.localName === 'eviction')) {
    element.setAttribute(key, String(inner));
  } else {
    const known = childrenOf(element).find(({ localName }) => localName === key);
    fill(known ?? append(element, key), inner, field);
  }
}

function appendEntry(parent: Element, collection: string, name: string): Element {
  const entry = append(parent, entryNameOf(collection));
  const keys = namedByChild[entry.localName];
  if (keys === undefined) entry.setAttribute('name', name);
  for (const key of keys ?? []) append(entry, key).textContent = name;
  return entry;
}

function childrenOf(element: Element): readonly Element[] {
  return Array.from(element.childNodes).filter((node): node is Element => node.nodeType === elementNode);
}

/** On a line of its own, one step further in than its parent. */
function append(parent: Element, name: string): Element {
  const document = parent.ownerDocument;
  const prefix = parent.prefix ? `${parent.prefix}:` : '';
  const child = document.createElementNS(parent.namespaceURI, `${prefix}${name}`);
  const last = parent.lastChild;
  const isBreak = last?.nodeType === textNode && last.nodeValue?.trim() === '';
  if (isBreak) parent.removeChild(last);
  const depth = depthOf(parent);
  parent.appendChild(document.createTextNode(lineBreak(depth + 1)));
  parent.appendChild(child);
  parent.appendChild(document.createTextNode(lineBreak(depth)));
  return child;
}

function depthOf(element: Element): number {
  const parent = element.parentNode;
  return parent?.nodeType === elementNode ? 1 + depthOf(parent as Element) : 0;
}

function lineBreak(depth: number): string {
  return `\n${'    '.repeat(depth)}`;
}

const elementNode = 1;
const textNode = 3;
