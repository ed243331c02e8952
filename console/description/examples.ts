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
  const members = Object.entries(properties).map(
    ([name, member]) => [name, exampleIn(member as Described)] as const,
  );
  if (members.some(([name, value]) => required.includes(name) && value === undefined)) return undefined;
  return Object.fromEntries(members.filter(([, value]) => value !== undefined && value !== null));
}
