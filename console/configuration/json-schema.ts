/** The form of files of configuration, for editors: from the same schemas that check them. */
import { z } from 'zod';
import { configurationDocument } from './document.ts';
import { type AnyOperation, kindsOf } from './object-kinds.ts';

type Schema = Record<string, unknown>;

const secret = {
  description: 'Read by whoever reads the file.',
  oneOf: ['file', 'env'].map((name) => ({
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: [name],
    additionalProperties: false,
  })),
};
const secretList = {
  type: 'array',
  items: {
    type: 'object',
    properties: { id: { type: 'string' }, from: secret },
    required: ['id', 'from'],
    additionalProperties: false,
  },
};

const enabled = {
  type: 'boolean',
  description: 'false: it is disabled, and what it had has ended. Where nothing is said, it stays as it is.',
};

/** JSON Schema, draft 2020-12. */
export function schemaOfFiles(operations: readonly AnyOperation[]): Schema {
  const whole = schemaOf(configurationDocument);
  const { version, source } = whole.properties as Schema;
  const definitions: Schema = {};
  const described = kindsOf(operations).map(({ key, put, addSecret, disable }) => {
    const { $defs, $schema: _schema, ...object } = schemaOf(put.body!);
    Object.assign(definitions, $defs);
    const properties = withSecrets(object.properties as Schema | undefined);
    const more = { ...(addSecret && { secrets: secretList }), ...(disable && { enabled }) };
    const own = { ...object, properties: { ...properties, ...more } };
    return [key, { type: 'object', additionalProperties: properties ? own : object }] as const;
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Files of configuration of Cluster Console',
    type: 'object',
    properties: { version, source, ...Object.fromEntries(described) },
    required: ['version', 'source'],
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

/** One with a name of its own is given by that name. */
function schemaOf(schema: z.ZodType): Schema {
  const { $ref, ...made } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  const name = typeof $ref === 'string' ? $ref.slice('#/$defs/'.length) : undefined;
  if (name === undefined) return made;
  const { [name]: own, ...$defs } = made.$defs as Schema;
  return { ...(own as Schema), ...(Object.keys($defs).length > 0 && { $defs }) };
}

/** What is write-only stands in no file. */
function withSecrets(properties: Schema | undefined): Schema | undefined {
  if (!properties) return undefined;
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      (schema as { readonly writeOnly?: boolean }).writeOnly ? secret : schema,
    ]),
  );
}
