/** One operation as OpenAPI has it: what it takes, what it can answer, and who may call it. */
import { csvType } from '../admin-api/http/csv.ts';
import { scopeOf } from '../operations/access-check.ts';
import { itemOf } from '../operations/lists.ts';
import { type SuccessStatus, statusesOf } from '../operations/operation.ts';
import type { AnyOperation } from './described.ts';
import { exampleOf } from './examples.ts';
import type { JsonSchemas } from './json-schemas.ts';
import { problemRefs } from './problem-responses.ts';
import { headerRefs, parameterRefs } from './shared-parts.ts';

/** The names by which its schemas are found. */
export interface SchemaNames {
  readonly params?: string | undefined;
  readonly query?: string | undefined;
  readonly body?: string | undefined;
  readonly answer?: string | undefined;
}

const meanings: Readonly<Record<SuccessStatus, string>> = {
  200: 'Done.',
  201: 'Made; `Location` is where it is.',
  202: 'Begun; `Location` is the job that goes on with it.',
  204: 'Done, and there is nothing to say about it.',
};

const rolesOf = {
  own: [],
  metrics: ['Admin', 'Viewer', 'MetricsViewer'],
  read: ['Admin', 'Viewer'],
  observe: ['Admin'],
  inspect: ['Admin'],
  write: ['Admin'],
} as const;

export function operationObject(operation: AnyOperation, names: SchemaNames, schemas: JsonSchemas) {
  const { id, summary, description, object, isDangerous, event = operation.readEvent, access } = operation;
  // What anybody may ask about themselves needs no scope.
  const scopes = access === 'own' ? [] : [scopeOf(operation)];
  const parameters = [
    ...parametersOf('path', names.params, schemas),
    ...parametersOf('query', names.query, schemas),
    ...parameterRefs(operation),
  ];
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [object],
    security: [{ bearer: scopes }, { dpop: scopes }],
    'x-roles': rolesOf[access],
    'x-dangerous': isDangerous === true,
    ...(event !== undefined && { 'x-audit-event': event }),
    ...(parameters.length > 0 && { parameters }),
    ...withBody(operation, names, schemas),
    responses: { ...answersOf(operation, names, schemas), ...problemRefs(operation) },
  };
}

function parametersOf(place: 'path' | 'query', name: string | undefined, schemas: JsonSchemas) {
  if (name === undefined) return [];
  const { properties = {}, required = [] } = schemas.inline('input', name);
  return Object.entries(properties).map(([member, schema]) => {
    const { description, ...rest } = schema as { readonly description?: string };
    return {
      name: member,
      in: place,
      ...((place === 'path' || required.includes(member)) && { required: true }),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

function withBody({ mediaType, body }: AnyOperation, names: SchemaNames, schemas: JsonSchemas) {
  if (mediaType !== undefined) {
    return { requestBody: { required: true, content: { [mediaType]: { schema: {} } } } };
  }
  if (!body || names.body === undefined) return {};
  const example = exampleOf(body);
  const content = { schema: schemas.ref('input', names.body), ...(example !== undefined && { example }) };
  return { requestBody: { required: true, content: { 'application/json': content } } };
}

function answersOf(operation: AnyOperation, { answer }: SchemaNames, schemas: JsonSchemas) {
  const { answerType = 'application/json' } = operation;
  const schema = answerType === 'application/json' ? answer && schemas.ref('output', answer) : {};
  const hasBody = schema !== undefined && (answer !== undefined || operation.answerType !== undefined);
  return Object.fromEntries(
    statusesOf(operation).map((status) => [
      `${status}`,
      {
        description: meanings[status],
        headers: headerRefs(operation, status),
        ...(hasBody && status !== 204 && { content: { [answerType]: { schema }, ...othersOf(operation) } }),
      },
    ]),
  );
}

/** A list comes as CSV, too. */
function othersOf({ answer, otherAnswerTypes = [] }: AnyOperation) {
  const types = itemOf(answer) ? [csvType] : otherAnswerTypes;
  return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' as const } }]));
}
