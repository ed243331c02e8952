/** Schemas of the operations as JSON Schemas with names, by zod's own conversion. */
import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;
export type Side = 'input' | 'output';

export interface JsonSchemas {
  /** For where the schema is used: by its name. */
  ref(side: Side, name: string): { readonly $ref: string };
  /** The schema itself, whose name is in nobody's way: of parameters. */
  inline(side: Side, name: string): JsonSchema;
  /** Those that are referred to, in the order of their names. */
  readonly components: Readonly<Record<string, JsonSchema>>;
}

/** By side and name. */
export type NamedSchemas = Readonly<Record<Side, ReadonlyMap<string, z.ZodType>>>;

const place = '#/components/schemas/';
/** What zod calls the document of names that are only in the schemas themselves. */
const shared = '__shared';

/**
 * @param inline  names that get no component of their own
 * @throws {Error} for what JSON Schema cannot say
 */
export function jsonSchemas(named: NamedSchemas, inline: ReadonlySet<string>): JsonSchemas {
  const bySide = { input: converted('input', named.input), output: converted('output', named.output) };
  const renamed = namesOfBoth(bySide);
  const input = withNames(bySide.input, renamed);
  const all = { ...bySide.output, ...input };
  const components = Object.entries(all)
    .filter(([name]) => !inline.has(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ref: (side, name) => ({
      $ref: place + (side === 'input' ? (renamed.get(name) ?? name) : name),
    }),
    inline: (side, name) => (side === 'input' ? input[name]! : bySide.output[name]!),
    components: Object.fromEntries(components),
  };
}

function converted(side: Side, schemas: ReadonlyMap<string, z.ZodType>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of schemas) registry.add(schema, { id });
  const { schemas: found } = z.toJSONSchema(registry, {
    io: side,
    uri: (id) => place + id,
    override: ({ jsonSchema }) => adjust(jsonSchema, side),
  });
  const text = JSON.stringify(found).replaceAll(`${place}${shared}#/$defs/`, place);
  const { [shared]: inner, ...own } = JSON.parse(text) as Record<string, JsonSchema>;
  const all = { ...(inner?.$defs as Record<string, JsonSchema> | undefined), ...own };
  return Object.fromEntries(Object.entries(all).map(([name, { $schema, $id, id, ...rest }]) => [name, rest]));
}

/** What is another thing when it is sent than when it is shown has a name for each. */
function namesOfBoth({ input, output }: Record<Side, Record<string, JsonSchema>>): Map<string, string> {
  const differing = Object.keys(input).filter(
    (name) => name in output && JSON.stringify(input[name]) !== JSON.stringify(output[name]),
  );
  return new Map(differing.map((name) => [name, `${name}Input`]));
}

function withNames(schemas: Record<string, JsonSchema>, renamed: Map<string, string>) {
  const text = JSON.stringify(schemas).replaceAll(
    /"#\/components\/schemas\/([^"]+)"/g,
    (_, name: string) => `"${place}${renamed.get(name) ?? name}"`,
  );
  const parsed = JSON.parse(text) as Record<string, JsonSchema>;
  return Object.fromEntries(
    Object.entries(parsed).map(([name, schema]) => [renamed.get(name) ?? name, schema]),
  );
}

function adjust(schema: JsonSchema, side: Side): void {
  // The library's pattern of 300 characters says no more than the format.
  if (schema.format === 'date-time') delete schema.pattern;
  // Patterns of other languages know no categories.
  if (schema.pattern) schema.pattern = schema.pattern.replaceAll('\\p{Cc}', '\\u0000-\\u001f\\u007f-\\u009f');
  // A constant of the type `number` does not compile in generated Java.
  if (Number.isInteger(schema.const)) schema.type = 'integer';
  if (schema.type === 'integer') adjustInteger(schema, side);
  // Answers grow, and a client that was made from an earlier description has to go on.
  if (side === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.example === undefined) return;
  schema.examples ??= [schema.example];
  delete schema.example;
}

/** Without a format, generated Java takes 32 bits. */
function adjustInteger(schema: JsonSchema, side: Side): void {
  if ((schema.maximum ?? Number.MAX_SAFE_INTEGER) > 2 ** 31 - 1) schema.format = 'int64';
  if (side === 'input') return;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
