/** `POST /api/v1/refusals`: what a member proxy in a process of its own has refused, so that `explain` knows it here. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { CallerCheck } from '../http/caller-check.ts';
import { type ApiMachine, authorizeScope } from './access.ts';
import { readJson } from './json-body.ts';

export interface DenialReportsDeps {
  readonly scope: string;
  readonly callers: CallerCheck<ApiMachine>;
  /** @throws {ProblemError} `invalid_request`, `busy` */
  readonly take: (body: unknown, clientId: string) => Promise<void>;
}

/** @returns a handler that throws {@link ProblemError}: `method_not_allowed`, as {@link authorizeScope} and `take` do */
export function createDenialReports({ scope, callers, take }: DenialReportsDeps) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (req.method !== 'POST') {
      throw new ProblemError(problems.methodNotAllowed, 'This address takes POST.', {
        headers: { Allow: 'POST' },
      });
    }
    const { clientId } = await authorizeScope(req, scope, callers);
    await take(await readJson(req), clientId);
    res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
  };
}
