/** `/api/v1/clients/{client}/secrets`: a second secret while callers move over, and the end of the first. */
import { z } from 'zod';
import type { ClientWithSecret } from '../../clients/client-registration.ts';
import { changesBetween } from '../../operations/changes.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { versionOf } from '../../storage/record-version.ts';
import { basePath } from '../http/operation-paths.ts';
import { createdSecretView, secretId, secretInput } from './client-form.ts';
import type { ClientAddress, ClientNeeds, ClientParams } from './client-needs.ts';
import { auditedOf, shownSecrets } from './client-words.ts';

export function secretOperations(
  { path, name, word, kind }: ClientAddress,
  params: z.ZodType<ClientParams>,
): Operation<ClientNeeds>[] {
  return [
    operation({
      id: `create${name}Secret`,
      method: 'POST',
      path: `${path}/{client}/secrets`,
      summary: `Gives the ${word} one more secret; one that is made here is in this answer alone.`,
      access: 'write',
      event: 'client.secret_added',
      isOneChange: true,
      isMaking: true,
      params,
      body: secretInput,
      answer: createdSecretView,
      async run({ params: { client: id }, body, ifMatch, checkMayGrant }, { registration }: ClientNeeds) {
        const { ends = 'none', expiresAt, othersEndAt, ...given } = body;
        const done = await registration.addSecret(
          id,
          {
            ...given,
            ...(expiresAt && { expiresAt: Date.parse(expiresAt) }),
            ends: ends === 'none' ? undefined : ends,
            ...(othersEndAt !== undefined && { othersEndAt: Date.parse(othersEndAt) }),
          },
          { ifMatch, kind, checkMayGrant },
        );
        const { made } = done;
        const [first] = shownSecrets(done.client, { secretsLastUsedAt: [] });
        return {
          ...changeOf(done),
          status: 201,
          body: { ...first, secret: made.isRandom ? made.secret : null },
          headers: { Location: `${basePath}${path}/${id}/secrets/${first!.id}` },
        };
      },
    }),
    operation({
      id: `delete${name}Secret`,
      method: 'DELETE',
      path: `${path}/{client}/secrets/{secret}`,
      summary: 'Ends a secret at once, and every token that its client has.',
      access: 'write',
      isDangerous: true,
      event: 'client.secret_removed',
      isOneChange: true,
      params: z.strictObject({ client: z.string(), secret: secretId }),
      query: z.strictObject({
        endTokens: z
          .enum(['true', 'false'])
          .meta({
            description:
              'Whether its tokens end too, which is so by default; `false` where whoever had the secret is trusted.',
          })
          .exactOptional(),
      }),
      async run({ params: at, query, ifMatch, checkMayGrant }, { registration }: ClientNeeds) {
        const removed = { secretId: at.secret, endsTokens: query.endTokens !== 'false' };
        const when = { ifMatch, kind, checkMayGrant };
        return changeOf(await registration.removeSecret(at.client, removed, when));
      },
    }),
  ];
}

/** What the client has, and none of it. */
function changeOf({ client, before }: Omit<ClientWithSecret, 'made'>) {
  return {
    target: client.id,
    version: versionOf(client),
    changes: changesBetween(before && auditedOf(before), auditedOf(client)),
  };
}
