/**
 * A port of its own for whoever watches over the process. A new connection stands in the system's queue behind all that
 * came before it, and a probe has to ask by a new one: here it stands behind nobody who means no good.
 */
import type { RequestListener } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';
import { createRequestIds } from '../http/request-id.ts';
import { sendProblem } from '../http/send.ts';

const paths: ReadonlySet<string | undefined> = new Set(['/live', '/ready', '/metrics']);

/** @returns what answers probes and metrics as `handle` does, and 404 `not_found` to everything else */
export function onlyManagement(handle: RequestListener): RequestListener {
  const newRequestId = createRequestIds();
  return (req, res) => {
    if (paths.has(req.url?.split('?', 1)[0])) {
      handle(req, res);
      return;
    }
    const requestId = newRequestId();
    res.setHeader('X-Request-Id', requestId);
    sendProblem(
      res,
      new ProblemError(problems.notFound, 'This port has /live, /ready and /metrics'),
      requestId,
    );
  };
}
