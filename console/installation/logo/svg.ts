/**
 * An SVG as it may be shown: shapes, colours and text. What can run, load or link to something is left out, and the rest is
 * written anew, so that nothing gets through that is read otherwise elsewhere.
 */
import { DOMParser } from '@xmldom/xmldom';
import { InvalidLogoError, type Picture, pictureOf } from './picture.ts';

type Node = NonNullable<ReturnType<DOMParser['parseFromString']>['documentElement']>;

const svgNamespace = 'http://www.w3.org/2000/svg';
const words = (text: string) => new Set(text.split(/\s+/));
const elements =
  words(`svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan
  linearGradient radialGradient stop clipPath mask pattern`);
const attributes = words(`id class d x y x1 y1 x2 y2 cx cy r rx ry fx fy width height points transform viewBox
  preserveAspectRatio fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin
  stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color display visibility clip-path clip-rule mask offset
  stop-color stop-opacity gradientUnits gradientTransform spreadMethod clipPathUnits maskUnits maskContentUnits
  patternUnits patternContentUnits patternTransform font-family font-size font-weight font-style text-anchor
  dominant-baseline letter-spacing dx dy href`);
/** Numbers, names, colours and functions of them have none of these. */
const suspicious = /[\\<>{}@;:]|\/\//;
const ownReference = /^#[\w.-]+$/;
const urlOf = /url\s*\(\s*['"]?([^'")]*)/gi;
const mostDepth = 40;
const mostElements = 5_000;

export function isSvg(text: string): boolean {
  return /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>]/i.test(text);
}

/** @throws {InvalidLogoError} */
export function safeSvg(text: string): Picture {
  if (/<!ENTITY|<!DOCTYPE[^>]*\[/i.test(text)) throw new InvalidLogoError('declares entities');
  if (depthOf(text) > mostDepth) throw new InvalidLogoError('is nested too deeply');
  const root = parse(text);
  if (root.namespaceURI !== svgNamespace || root.localName !== 'svg') {
    throw new InvalidLogoError('is no SVG');
  }
  const size = sizeOf(root);
  const count = { elements: 0 };
  return pictureOf('image/svg+xml', Buffer.from(written(root, count, 0)), size);
}

function parse(text: string): Node {
  const fault = () => {
    throw new InvalidLogoError('is no well-formed XML');
  };
  try {
    const document = new DOMParser({
      errorHandler: { warning: () => {}, error: fault, fatalError: fault },
    }).parseFromString(text.replace(/^\uFEFF/, ''), 'image/svg+xml');
    return document.documentElement ?? fault();
  } catch (error) {
    if (error instanceof InvalidLogoError) throw error;
    return fault();
  }
}

/** Before anything walks through it step by step. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [tag] of text.matchAll(/<[^!?][^>]*>/g)) {
    if (tag.startsWith('</')) depth -= 1;
    else if (!tag.endsWith('/>')) depth += 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** From the view box, or from width and height in pixels. */
function sizeOf(root: Node): Pick<Picture, 'width' | 'height'> {
  const box = (root.getAttribute('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [width, height] =
    box.length === 4
      ? [box[2]!, box[3]!]
      : ['width', 'height'].map((name) => Number.parseFloat(root.getAttribute(name) ?? ''));
  if (!(width! > 0 && height! > 0 && width! < 1e6 && height! < 1e6)) {
    throw new InvalidLogoError('says neither a viewBox nor width and height');
  }
  return { width: width!, height: height! };
}

function written(node: Node, count: { elements: number }, depth: number): string {
  const name = node.localName ?? '';
  if (node.namespaceURI !== svgNamespace || !elements.has(name)) return '';
  count.elements += 1;
  if (count.elements > mostElements || depth > mostDepth) throw new InvalidLogoError('has too many shapes');
  const head = [name, ...(depth === 0 ? [`xmlns="${svgNamespace}"`] : []), ...attributesOf(node)].join(' ');
  const inner = Array.from(node.childNodes ?? [], (child) => {
    if (child.nodeType === 1) return written(child as Node, count, depth + 1);
    return child.nodeType === 3 || child.nodeType === 4 ? escaped(child.nodeValue ?? '') : '';
  }).join('');
  return `<${head}>${inner}</${name}>`;
}

function attributesOf(node: Node): readonly string[] {
  return Array.from(node.attributes ?? []).flatMap(({ localName, nodeName, value }) => {
    const name = localName ?? nodeName;
    const isOwn = nodeName === name || nodeName === 'xlink:href';
    if (!isOwn || !attributes.has(name) || !isHarmless(name, value)) return [];
    return [`${name}="${escaped(value)}"`];
  });
}

function isHarmless(name: string, value: string): boolean {
  if (name === 'href') return ownReference.test(value);
  if (suspicious.test(value)) return false;
  return [...value.matchAll(urlOf)].every(([, target = '']) => ownReference.test(target.trim()));
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
}
