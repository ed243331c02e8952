/** The description of the admin API in OpenAPI 3.1, from the table of operations and by the schemas that check. */
import type { z } from 'zod';
import { basePath } from '../admin-api/http/operation-paths.ts';
import type { AnyOperation, Description } from './described.ts';
import { jsonSchemas } from './json-schemas.ts';
import { operationObject, type SchemaNames } from './operation-object.ts';
import { commonSchemas, problemResponses } from './problem-responses.ts';
import { securitySchemes, sharedHeaders, sharedParameters } from './shared-parts.ts';

const description = `What can be managed in the console. Objects are strict: a member that is not known is refused. Answers grow: pass over
members and values that you do not know. A change with \`If-Match\` is made only while nothing has changed since; a list goes on at
\`next\`, and ends only where that is null. Times are RFC 3339 in UTC. With \`?dryRun=true\` a change is not made: the
answer is 200 and the form \`DryRun\`, what it would have been. Besides what stands at each operation, the server may say 405,
408, 414 and 431 in the same form.`;

/** @param version  of the product; the description grows within `v1` */
export function describeApi(operations: readonly AnyOperation[], version: string): Description {
  const named = nameSchemas(operations);
  const schemas = jsonSchemas(named, named.inline);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = operationObject(operation, named.of.get(operation.id)!, schemas);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cluster Console: the admin API',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description,
    },
    servers: [{ url: basePath, description: 'of the console that gave this description' }],
    tags: [...new Set(operations.map(({ object }) => object))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...commonSchemas, ...schemas.components },
      responses: problemResponses,
      parameters: sharedParameters,
      headers: sharedHeaders,
      securitySchemes,
    },
  } as unknown as Description;
}

/** Bodies and lists get names as views have them: what generators make of nameless ones changes with each of them. */
function nameSchemas(operations: readonly AnyOperation[]) {
  const input = new Map<string, z.ZodType>();
  const output = new Map<string, z.ZodType>();
  const inline = new Set<string>();
  const of = new Map<string, SchemaNames>();
  for (const { id, params, query, body, answer } of operations) {
    const name = id[0]!.toUpperCase() + id.slice(1);
    const names = {
      params: params && `${name}Params`,
      query: query && `${name}Query`,
      body: body && (idOf(body) ?? `${name}Body`),
      answer: answer && (idOf(answer) ?? listName(answer) ?? `${name}Answer`),
    };
    for (const [given, schema] of [
      [names.params, params],
      [names.query, query],
    ] as const) {
      if (given === undefined || !schema) continue;
      inline.add(given);
      input.set(given, schema);
    }
    if (names.body !== undefined && body) input.set(names.body, body);
    if (names.answer !== undefined && answer && !output.has(names.answer)) output.set(names.answer, answer);
    of.set(id, names);
  }
  return { input, output, inline, of };
}

function listName(answer: z.ZodType): string | undefined {
  const item = itemOf(answer);
  return item === undefined ? undefined : `${item}List`;
}

/** The name of what a list is of. */
export function itemOf(answer: z.ZodType): string | undefined {
  const { shape } = answer as Partial<z.ZodObject<{ items?: z.ZodArray<z.ZodType> }>>;
  return shape && 'next' in shape && shape.items ? idOf(shape.items.element) : undefined;
}

export function idOf(schema: z.ZodType): string | undefined {
  return schema.meta()?.id;
}
