/** `/api/v1/clients`: what clients there are, and what they may ask for, as `npx console client update` changes it. */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import { type AskedPage, askedPage, nextPage } from './pages.ts';
import type { Answer, ApiCall, BodyCall, QueryCall } from './router.ts';

/** What may be shown of clients; errors are {@link ProblemError}s. */
export interface ClientAnswers {
  list(page: AskedPage): Promise<{ readonly items: readonly object[]; readonly next?: string | undefined }>;
  /** @returns undefined when there is no such client */
  show(id: string): Promise<object | undefined>;
  update(id: string, change: ReturnType<typeof changeOf>): Promise<object>;
}

const address = z.string().max(2048);
const addresses = z.array(address).max(200);

export const changedClient = z
  .strictObject({
    name: z.string().max(256).exactOptional(),
    scopes: z.array(z.string().max(256)).max(200).exactOptional(),
    dpopBoundAccessTokens: z.boolean().exactOptional(),
    pkce: z.string().max(20).exactOptional(),
    maxRoles: z.array(z.string().max(64)).max(200).exactOptional(),
    redirectUris: addresses.exactOptional(),
    // As in what is shown of a client.
    postLogoutUris: addresses.exactOptional(),
    backchannelLogoutUri: address.nullable().exactOptional(),
    frontchannelLogoutUri: address.nullable().exactOptional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'Give at least one member');

export function createClients({ list, show, update }: ClientAnswers) {
  return {
    async list(call: QueryCall): Promise<Answer> {
      const page = askedPage(call);
      const { items, next } = await list(page);
      return { status: 200, body: items, headers: nextPage('/api/v1/clients', page, next) };
    },
    async show({ id }: ApiCall): Promise<Answer> {
      const client = await show(id);
      if (client) return { status: 200, body: client };
      throw new ProblemError(problems.notFound, 'There is no client of this id.');
    },
    update: async ({ id, body }: BodyCall<z.infer<typeof changedClient>>): Promise<Answer> => ({
      status: 200,
      body: await update(id, changeOf(body)),
      target: id,
    }),
  };
}

/** Members of a body are called as in what is shown; nothing is null there, and an empty address is none. */
function changeOf({ postLogoutUris, ...data }: z.infer<typeof changedClient>) {
  const { backchannelLogoutUri: back, frontchannelLogoutUri: front, ...rest } = data;
  return {
    ...rest,
    ...(postLogoutUris === undefined ? {} : { postLogoutRedirectUris: postLogoutUris }),
    ...(back === undefined ? {} : { backchannelLogoutUri: back ?? '' }),
    ...(front === undefined ? {} : { frontchannelLogoutUri: front ?? '' }),
  };
}
