import type { RequestListener } from 'node:http';
import type { MemberLog } from './log.ts';
import type { LogLevels } from './management/log-levels.ts';
import { OperationFailedError } from './operation-failed.ts';
import { replyEmpty } from './replies.ts';
import type { Call, CallTrace, Handler } from './router.ts';

export interface ListenerDeps {
  readonly dispatch: Handler;
  readonly log: MemberLog;
  readonly isStopping: () => boolean;
}

/** Calls the router; what it throws is a bare 500 (docs/member-surface.md#errors) and a line in the log. */
export function createListener({ dispatch, log, isStopping }: ListenerDeps): RequestListener {
  const logRejectedCall = createRejectedCallLog(log);

  function fail({ req, res, endpoint }: Call, error: unknown): void {
    const { method } = req;
    if (error instanceof OperationFailedError) {
      log.warn({ method, endpoint, reason: error.message.slice(0, longestReason) }, 'call refused');
    } else {
      log.error({ method, endpoint, err: error }, 'request failed');
    }
    if (res.headersSent) req.socket.destroy();
    else replyEmpty(res, 500);
  }

  return function answer(req, res) {
    res.sendDate = false; // the real engine sends no Date, and making one costs
    if (isStopping()) res.shouldKeepAlive = false;
    const call: Call = { req, res, endpoint: undefined, rejection: undefined };
    try {
      const answered = dispatch(call);
      if (call.rejection !== undefined) logRejectedCall(call, call.rejection);
      if (answered !== undefined) answered.catch((error) => fail(call, error));
    } catch (error) {
      fail(call, error);
    }
  };
}

/**
 * Tells the log why a call was refused without a word to its caller: each reason once in ten seconds,
 * because anybody may make such calls as fast as they like, and a group that is off once, because it
 * stays so until the next start. `HEAD` is how proxies look which groups are on.
 */
function createRejectedCallLog(log: MemberLog): (call: Call, reason: string) => void {
  const reportedAt = new Map<string, number>();
  return function logRejectedCall({ req, res, endpoint }, reason) {
    if (req.method === 'HEAD') return;
    const now = performance.now();
    const quietMs = res.statusCode === 403 ? Infinity : 10_000;
    if (now - (reportedAt.get(reason) ?? -Infinity) < quietMs) return;
    reportedAt.set(reason, now);
    log.warn({ method: req.method, endpoint, reason }, 'call refused');
  };
}

/** A reason may name parts of what was sent, in characters. */
const longestReason = 2_000;

export interface CallTraceDeps {
  readonly log: MemberLog;
  readonly logLevels: LogLevels;
}

/** A line for each call, once the log level asks for that much. */
export function createCallTrace({ log, logLevels }: CallTraceDeps): CallTrace {
  return {
    get isOn() {
      return logLevels.showsCalls;
    },
    follow({ req, res }, endpoint) {
      const start = performance.now();
      res.once('close', () => {
        const durationMs = Math.round(performance.now() - start);
        log.debug({ method: req.method, endpoint, status: res.statusCode, durationMs }, 'call answered');
      });
    },
  };
}
