/** Examples of bodies, put together from those of their members. */
import { z } from 'zod';

/** With all members that have to be there, and those that have an example; undefined when one has none. */
export function exampleOf(schema: z.ZodType): unknown {
  return exampleIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

type Described = z.core.JSONSchema.JSONSchema;

function exampleIn(schema: Described): unknown {
  const { example, examples, type, properties, required = [], enum: values, const: only } = schema;
  if (example !== undefined) return example;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0];
  if (type === 'boolean') return true;
  if (schema.oneOf ?? schema.anyOf) return exampleIn((schema.oneOf ?? schema.anyOf)![0] as Described);
  if (type !== 'object' || !properties) return undefined;
  const members = Object.entries(properties).map(([name, member]) => {
    const value = exampleIn(member as Described);
    // What may be left out is shown where somebody has thought of a value.
    return [name, required.includes(name) || isGiven(member as Described) ? value : undefined] as const;
  });
  if (members.some(([name, value]) => required.includes(name) && value === undefined)) return undefined;
  const shown = members.filter(([, value]) => value !== undefined && value !== null);
  return shown.length < (schema.minProperties ?? 0) ? undefined : Object.fromEntries(shown);
}

function isGiven({ example, examples, anyOf }: Described): boolean {
  if (example !== undefined || examples !== undefined) return true;
  return anyOf !== undefined && isGiven(anyOf[0] as Described);
}
