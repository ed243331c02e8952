/** `…/call`: one reading call to the members as a client would make it, decided as for its token; no token is given out. */
import type { z } from 'zod';
import { operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import {
  makeReadingCall,
  notMade,
  type ReadingCallNeeds,
  readingCallBody,
  readingCallFields,
} from '../access/reading-call.ts';
import { memberProblems } from '../cluster/member-calls.ts';
import { type ClientNeeds, type ClientParams, findClient } from './client-needs.ts';

export interface CallNeeds extends Pick<ClientNeeds, 'clients'>, ReadingCallNeeds {}

export const callAsClient = (params: z.ZodType<ClientParams>) =>
  operation({
    id: 'callAsClient',
    method: 'POST',
    path: '/clients/{client}/call',
    summary: 'Makes one reading call to the members as a client would, and shows what comes of it.',
    description:
      'It is decided by the scopes of the client, as for a token with all of them, and made by the console: no token is given out. Takes what may be granted to the client, since it reads what the client may read.',
    access: 'inspect',
    readEvent: 'client.tried',
    params,
    body: readingCallBody,
    answer: view(readingCallFields).meta({ id: 'ClientCall' }),
    problems: memberProblems,
    async run({ params: { client: id }, body: { path }, checkMayGrant, isDryRun }, needs: CallNeeds) {
      const client = await findClient(id, undefined, needs);
      checkMayGrant({ scopes: client.scopes });
      const body = client.disabled
        ? notMade({ isAllowed: false, because: 'The client is disabled.' })
        : await makeReadingCall(path, { client: id }, needs, isDryRun);
      return { target: id, asked: { path, isAllowed: body.isAllowed }, body };
    },
  });
