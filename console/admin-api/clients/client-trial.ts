/** `…/try`: what a token of a client would carry, and what it would open; no token is given out. */
import { z } from 'zod';
import { type Operation, operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import { type ClientAddress, type ClientNeeds, type ClientParams, findClient } from './client-needs.ts';

const opened = view({
  methods: z.array(z.string()),
  path: z.string().meta({ example: '/svc/rest/maps/{name}/{key}' }),
  permission: z.string().meta({ example: 'svc:data:read' }),
  outcome: z.enum(['allowed', 'partly']),
  names: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Of `partly`: which maps or queues, and what their names begin with.' }),
});

const trialView = view({
  isIssued: z.boolean(),
  reason: z.string().nullable().meta({ description: 'Why there would be no token, in words.' }),
  audience: z.string().nullable().meta({ description: 'The resource that it would be for.' }),
  scopes: z.array(z.string()),
  roles: z.array(z.string()).meta({ description: 'Of an application the most that it gets of anybody’s.' }),
  tokenType: z.enum(['Bearer', 'DPoP']),
  tokenAlg: z.string(),
  tokenTyp: z.string(),
  ttlSeconds: z.number().int(),
  opens: z.array(opened).meta({ description: 'Calls to the members.' }),
}).meta({ id: 'TokenTrial' });

export function trialOperation(
  { path, name, word, kind }: ClientAddress,
  params: z.ZodType<ClientParams>,
): Operation<ClientNeeds> {
  return operation({
    id: `try${name}`,
    method: 'POST',
    path: `${path}/{client}/try`,
    summary: `Says what a token of the ${word} would carry and open; none is given out.`,
    access: 'inspect',
    params,
    body: z.strictObject({
      scopes: z
        .array(z.string().max(256))
        .max(200)
        .meta({ description: 'What it asks for; where nothing is said, all that goes together.' })
        .exactOptional(),
      resource: z
        .string()
        .max(2048)
        .meta({ description: 'As in a token request (RFC 8707).' })
        .exactOptional(),
    }),
    answer: trialView,
    async run({ params: { client: id }, body }, needs: ClientNeeds) {
      return { body: await needs.tokenTrial(await findClient(id, kind, needs), body) };
    },
  });
}
