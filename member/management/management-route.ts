/** Calls that manage a member: their positional bodies, the credentials in them, and the form of their answers. */
import type { MemberLog } from '../log.ts';
import { decodeField, splitPositionalBody } from '../positional-body.ts';
import { replyEmpty, replyJson } from '../replies.ts';
import type { ReadBody } from '../request-body.ts';
import type { Call, Method, Route } from '../router.ts';
import type { AcceptCredentials } from './credentials.ts';

export interface ManagementDeps {
  readonly readBody: ReadBody;
  readonly accept: AcceptCredentials;
  readonly log: MemberLog;
}

export interface ManagementEndpoint {
  /** `POST`, and with it `PUT`, when left out. */
  readonly method?: Method;
  readonly template: Route['template'];
  readonly group: Route['group'];
  /** How many values the body has, name and password included. */
  readonly valueCount: number;
  /**
   * Carries out the call of somebody known.
   *
   * @param values  what follows name and password, decoded once
   * @param names   what the template names
   * @throws {OperationFailedError} when it cannot be done: a bare 500, and the reason in the log
   */
  readonly handler: (
    call: Call,
    values: readonly string[],
    ...names: readonly string[]
  ) => void | Promise<void>;
}

/** Makes a route of an endpoint that takes name and password in its body. */
export type ManagementRoute = (endpoint: ManagementEndpoint) => Route;

/**
 * The checks of every call with positional values (docs/member-surface.md#positional-bodies), in the real engine's order: too few
 * of them is 400, a bad escape 500, an unknown caller 403; only then is the operation looked at.
 */
export function createManagement({ readBody, accept, log }: ManagementDeps): ManagementRoute {
  return function managementRoute({ method = 'POST', template, group, valueCount, handler }) {
    return {
      method,
      template,
      group,
      async handler(call, ...names) {
        const body = await readBody(call);
        if (body === undefined) return;
        const encoded = splitPositionalBody(body, valueCount);
        if (encoded === undefined) {
          log.warn(
            { endpoint: template, reason: `the body has less than ${valueCount} positions` },
            rejectedCall,
          );
          return replyEmpty(call.res, 400);
        }
        const [name, password, ...values] = encoded.map(decodeField);
        if (!accept(name!, password!)) {
          log.warn({ endpoint: template, reason: 'unauthenticated' }, rejectedCall);
          return rejectUnauthenticated(call);
        }
        return handler(call, values, ...names);
      },
    };
  };
}

const rejectedCall = 'call refused';

/** The specification leaves the form of this refusal open (docs/member-surface.md#errors): it is the real engine's. */
export function rejectUnauthenticated({ res }: Call): void {
  replyJson(res, unauthenticated, 403);
}

const unauthenticated = JSON.stringify({ status: 'fail', message: 'unauthenticated' });
