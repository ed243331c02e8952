import type { z } from 'zod';
import { nearest } from '../../platform/names/nearest-name.ts';
import { memberSection } from './config-schema.ts';
import { type Environment, type Override, overridesIn } from './override-names.ts';
import { shapeOf, valueFromText } from './schema-shape.ts';
import { isObject, type Path } from './source-tree.ts';

export interface Overridden {
  /** The section with the values of the environment in their places. */
  readonly section: unknown;
  /** The variable that a value came from, by its path joined by dots. */
  readonly origins: ReadonlyMap<string, string>;
  /** One line for each variable that names nothing. */
  readonly problems: readonly string[];
}

/**
 * Puts what the environment says over what the file says, as the real engine does:
 * `HZ_NETWORK_RESTAPI_ENABLED=true` is `network.rest-api.enabled`. A map, queue or publisher is meant
 * by its name in any case; one that the file does not have is made, in lower case.
 *
 * @param section  the member's section; it is left as it is
 */
export function applyOverrides(section: unknown, environment: Environment): Overridden {
  const overrides = overridesIn(environment);
  const origins = new Map<string, string>();
  const problems: string[] = [];
  if (overrides.length === 0) return { section, origins, problems };

  const root = section === null ? emptySection() : copyOf(section);
  for (const override of overrides) {
    const target = findTarget(memberSection, override.steps, root);
    if (target === undefined) {
      problems.push(`${override.name}: ${whyNot(override, root)}`);
      continue;
    }
    if (target.path.includes('__proto__')) {
      problems.push(`${override.name}: no name that can be configured`); // as in a file
      continue;
    }
    const key = target.path.join('.');
    const earlier = origins.get(key);
    if (earlier !== undefined) problems.push(`${override.name}: means the same key as ${earlier}: keep one`);
    origins.set(key, override.name);
    put(root, target.path, valueFor(target.schema, override.value));
  }
  return { section: root, origins, problems };
}

interface Target {
  readonly path: Path;
  readonly schema: z.ZodType;
}

/** One step is one key; a name in a collection may be several, since it may have underscores. */
function findTarget(schema: z.ZodType, steps: readonly string[], value: unknown): Target | undefined {
  const shape = shapeOf(schema);
  const [step, ...rest] = steps;
  const within = (key: string, inner: z.ZodType, further: readonly string[]) => {
    const found = findTarget(inner, further, isObject(value) ? value[key] : undefined);
    return found && { ...found, path: [key, ...found.path] };
  };
  if (shape.kind === 'section') {
    const field = Object.keys(shape.fields).find((key) => plain(key) === step);
    return field === undefined ? undefined : within(field, shape.fields[field]!, rest);
  }
  if (shape.kind === 'named') {
    for (let length = 1; length < steps.length; length += 1) {
      const text = steps.slice(0, length).join('_');
      const known = Object.keys(isObject(value) ? value : {}).find((key) => plain(key) === plain(text));
      const name = known ?? [text, text.toUpperCase()].find((one) => shape.name.safeParse(one).success);
      const found = name === undefined ? undefined : within(name, shape.value, steps.slice(length));
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (step !== undefined) return undefined;
  if (shape.kind === 'list' && shapeOf(shape.item).kind !== 'text') return undefined;
  return { path: [], schema };
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '');
}

/** A list is its items joined by commas. */
function valueFor(schema: z.ZodType, text: string): unknown {
  const { kind } = shapeOf(schema);
  if (kind === 'list') return text.split(',').map((item) => item.trim());
  return valueFromText(kind, text);
}

/** Without a prototype: a map may be called `constructor`, and what all objects share is nobody's to write to (S90). */
function emptySection(): Record<string, unknown> {
  return Object.create(null);
}

function withDefault(): Record<string, unknown> {
  return Object.assign(emptySection(), { default: emptySection() });
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isObject(value)) return value;
  const copy = emptySection();
  for (const [key, inner] of Object.entries(value)) copy[key] = copyOf(inner);
  return copy;
}

/** What is no section where one belongs stays: the check names it. */
function put(root: unknown, path: Path, value: unknown): void {
  let parent = root;
  for (const [index, key] of path.entries()) {
    if (!isObject(parent)) return;
    if (index === path.length - 1) parent[key] = value;
    else parent[key] ??= index === 0 && (key === 'map' || key === 'queue') ? withDefault() : emptySection();
    parent = parent[key];
  }
}

function whyNot(override: Override, root: unknown): string {
  const list = listOnTheWay(memberSection, override.steps);
  if (list !== undefined) return `${list.join('.')} is a list of sections, which only a file can give`;
  return `no such key; the nearest is ${nearestName(override, root)}`;
}

/** As in the real engine no name means an entry of a YAML list; one of plain values is given whole. */
function listOnTheWay(schema: z.ZodType, [step, ...rest]: readonly string[]): Path | undefined {
  const shape = shapeOf(schema);
  if (shape.kind === 'list') return shapeOf(shape.item).kind === 'text' ? undefined : [];
  if (shape.kind !== 'section') return undefined;
  const field = Object.keys(shape.fields).find((key) => plain(key) === step);
  const found = field === undefined ? undefined : listOnTheWay(shape.fields[field]!, rest);
  return found && [field!, ...found];
}

function nearestName({ name, steps }: Override, root: unknown): string {
  const prefix = name.slice(0, name.indexOf('_') + 1).toUpperCase();
  const wanted = steps.join('_').toUpperCase();
  return `${prefix}${nearest(wanted, namesIn(memberSection, root))}`;
}

/** Every name that an override could have: those of a collection with the entries that there are. */
function namesIn(schema: z.ZodType, value: unknown): readonly string[] {
  const shape = shapeOf(schema);
  const under = (key: string, inner: z.ZodType, name: string) =>
    namesIn(inner, isObject(value) ? value[key] : undefined).map((rest) => (rest ? `${name}_${rest}` : name));
  if (shape.kind === 'section') {
    return Object.entries(shape.fields).flatMap(([key, inner]) =>
      under(key, inner, plain(key).toUpperCase()),
    );
  }
  if (shape.kind === 'named') {
    const entries = [...Object.keys(isObject(value) ? value : {}), 'default', 'DATA'];
    const names = entries.filter((name) => shape.name.safeParse(name).success && !name.includes('*'));
    return names.flatMap((name) => under(name, shape.value, name.toUpperCase()));
  }
  if (shape.kind === 'list' && shapeOf(shape.item).kind !== 'text') return [];
  return [''];
}
