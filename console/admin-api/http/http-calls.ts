/** Operations over HTTP: what a request says, and how an answer goes out. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Audit } from '../../../platform/log.ts';
import type { CallerCheck } from '../../http/caller-check.ts';
import type { About } from '../../http/request-id.ts';
import { checkMayRun, mayRun } from '../../operations/access-check.ts';
import type { Actor, ActorElevation } from '../../operations/actor.ts';
import { readIfMatch, readIfNoneMatch } from '../../operations/entity-tag.ts';
import { invalidInput } from '../../operations/input-check.ts';
import type { Answer, Operation } from '../../operations/operation.ts';
import { type OperationRequest, type RunDeps, runOperation } from '../../operations/run-operation.ts';
import type { ApiMachine } from '../access.ts';
import type { CallRate } from './call-rate.ts';
import { readBytes, readJson } from './json-body.ts';
import { type ListFile, type ListReading, listFile } from './list-file.ts';
import type { OpenCalls } from './open-calls.ts';
import { createOperationPaths, type Found } from './operation-paths.ts';
import { type PageCaller, pageActor } from './page-actor.ts';
import { sendAnswer } from './send-answer.ts';
import { splitTarget } from './split-target.ts';
import { readIdempotencyKey } from './stored-answers.ts';

/** A verified access token. */
export interface ApiToken extends ApiMachine {
  /** What of its roles the person has for a while. */
  readonly elevation?: Pick<ActorElevation, 'id' | 'roles'> | undefined;
  /** Epoch seconds. */
  readonly expiresAt: number;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** @returns undefined for what does not come from a page. @throws {ProblemError} `csrf_failed`, `unauthorized` */
export type FindPageCaller = (req: IncomingMessage, res: ServerResponse) => Promise<PageCaller | undefined>;

export interface HttpCallsDeps<Services> extends Omit<RunDeps<Services>, 'about' | 'audit'> {
  readonly operations: readonly Operation<Services>[];
  readonly apiCallers: CallerCheck<ApiToken>;
  readonly audit: Audit;
  readonly about: About;
  /** What a client is registered for. */
  readonly scopesOfClient: (id: string) => Promise<readonly string[]>;
  readonly callRate: CallRate;
  readonly openCalls: OpenCalls;
  readonly findPageCaller: FindPageCaller;
}

/** A page that is made here, and asks as whoever sits before it. */
export interface PageCall {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly caller: PageCaller;
}

/** Operations for pages that are made here: by the same rules, rates and entries of the audit as over HTTP. */
export interface PageOperations {
  /** @param id  of an operation. @throws {ProblemError} */
  run(call: PageCall, id: string, request?: OperationRequest): Promise<Answer>;
  /** All of a list, counted as one call, and as one that goes on for long. @param id  of a list. @throws {ProblemError} */
  list(call: PageCall, id: string, reading: ListReading): Promise<ListFile>;
  /** For what a page offers before it asks for it. @throws {ProblemError} `insufficient_scope` */
  check(caller: PageCaller, id: string): Promise<void>;
  /** Those of these operations that the person may run, after a sign-in of late where that is needed. */
  openTo(caller: PageCaller, ids: readonly string[]): Promise<ReadonlySet<string>>;
}

const longestWaitSeconds = 30;

export function createHttpCalls<Services>(deps: HttpCallsDeps<Services>) {
  const find = createOperationPaths(deps.operations);
  const byId = new Map(deps.operations.map((operation) => [operation.id, operation]));
  const pageOperations: PageOperations = {
    async run(call, id, request = {}) {
      const [operation, actor] = [named(id), pageActor(call.caller)];
      countRate(operation, call, actor);
      // A page may be open for long that asks now and then: it holds its place as long as it asks.
      const leave = operation.isLong ? deps.openCalls.open(actor.id) : undefined;
      const idempotencyKey = readIdempotencyKey(request.idempotencyKey);
      let isGoingOn = false;
      try {
        const about = deps.about(call);
        const answer = await runOperation(operation, { ...request, idempotencyKey }, actor, {
          ...deps,
          about,
        });
        // What is sent as it comes is open as long as somebody reads.
        isGoingOn = (answer.stream ?? answer.bytes) !== undefined && !call.res.closed;
        if (leave && isGoingOn) call.res.once('close', leave);
        return answer;
      } finally {
        if (!isGoingOn) leave?.();
      }
    },
    async list(call, id, reading) {
      const [operation, actor] = [named(id), pageActor(call.caller)];
      countRate(operation, call, actor);
      const leave = deps.openCalls.open(actor.id);
      call.res.once('close', leave);
      const about = deps.about(call);
      try {
        return await listFile(operation, reading, (query) =>
          runOperation(operation, { query }, actor, { ...deps, about }),
        );
      } catch (error) {
        leave();
        throw error;
      }
    },
    check: async (caller, id) => checkMayRun(named(id), pageActor(caller), deps),
    openTo: async (caller, ids) => new Set(ids.filter((id) => mayRun(named(id), pageActor(caller), deps))),
  };
  return {
    pageOperations,
    find: (req: IncomingMessage) => find(splitTarget(req).path),
    /** @throws {ProblemError} */
    async handle(req: IncomingMessage, res: ServerResponse, { methods, params }: Found<Services>) {
      const operation = methods.get(req.method ?? '');
      if (!operation) throw methodNotAllowed([...methods.keys()]);
      const page = await deps.findPageCaller(req, res);
      if (page) return perform(operation, { req, res, params }, pageActor(page));
      const caller = await deps.apiCallers.authenticate(req);
      try {
        await perform(operation, { req, res, params }, await tokenActor(caller, operation, deps));
      } catch (error) {
        throw error instanceof ProblemError ? deps.apiCallers.inSchemeOf(caller, error) : error;
      }
    },
  };

  async function perform(
    operation: Operation<Services>,
    { req, res, params }: HttpCall & Pick<Found<Services>, 'params'>,
    actor: Actor,
  ): Promise<void> {
    count(operation, { req, res }, actor);
    const request = readRequest(operation, req);
    const answer = await runOperation(operation, { ...request, params }, actor, {
      ...deps,
      about: deps.about({ req }),
    });
    await sendAnswer({ req, res }, operation, request.isDryRun ? asDry(answer) : answer);
  }

  /** @throws {ProblemError} `too_many_requests` */
  function count(operation: Operation<Services>, call: HttpCall, actor: Actor): void {
    countRate(operation, call, actor);
    if (operation.isLong) call.res.once('close', deps.openCalls.open(actor.id));
  }

  /** @throws {ProblemError} `too_many_requests` */
  function countRate({ access }: Operation<Services>, { res }: HttpCall, { id }: Actor): void {
    const rateFields = deps.callRate.countIn(id, access === 'write' ? 'changes' : 'reads');
    if (res.headersSent) return;
    for (const [name, value] of Object.entries(rateFields)) res.setHeader(name, value);
  }

  function named(id: string): Operation<Services> {
    const found = byId.get(id);
    if (!found) throw new Error(`there is no operation ${id}`);
    return found;
  }
}

interface HttpCall {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

async function tokenActor(
  { subject, clientId, roles, scopes, claims, elevation, expiresAt }: ApiToken,
  { access }: Operation<never>,
  { scopesOfClient }: Pick<HttpCallsDeps<unknown>, 'scopesOfClient'>,
): Promise<Actor> {
  const isClient = subject === clientId;
  return {
    kind: isClient ? 'client' : 'user',
    id: subject,
    via: 'api',
    roles,
    scopes: isClient ? scopes : [],
    ...(!isClient && { client: clientId }),
    // Its end is that of the token, or later.
    ...(elevation && { elevation: { ...elevation, endsAt: expiresAt * 1000 } }),
    ...(isClient && access === 'write' && { mayAskFor: await scopesOfClient(clientId) }),
    signedInAt: typeof claims.auth_time === 'number' ? claims.auth_time : undefined,
    acr: typeof claims.acr === 'string' ? claims.acr : undefined,
  };
}

/** @throws {ProblemError} */
function readRequest(
  { query, event, isMaking, bodyLimit, mediaType }: Operation<never>,
  req: IncomingMessage,
): OperationRequest {
  const { headers } = req;
  const { rest, ...flags } = takeFlags(splitTarget(req).query, event !== undefined);
  return {
    ...flags,
    ifMatch: readIfMatch(headers['if-match']),
    isNew: readIfNoneMatch(headers['if-none-match']),
    ...(isMaking && { idempotencyKey: readIdempotencyKey(headers['idempotency-key']) }),
    query: readQuery(rest, query !== undefined),
    waitSeconds: readWait(headers.prefer),
    readBody: async () => (mediaType === undefined ? readJson(req, bodyLimit) : readBytes(req, mediaType)),
  };
}

/**
 * Of changes alone: `?dryRun=true` has them shown and not made, `?takeOver=true` ends that code owns what is changed.
 *
 * @throws {ProblemError} `invalid_request`
 */
function takeFlags(text: string, isChange: boolean) {
  const params = new URLSearchParams(text);
  const take = (name: string): boolean => {
    const asked = isChange ? params.getAll(name) : [];
    if (asked.length > 1 || asked.some((value) => value !== 'true' && value !== 'false')) {
      throw invalidInput([{ pointer: `?${name}`, code: 'invalid_value', detail: 'takes true or false' }]);
    }
    if (asked.length > 0) params.delete(name);
    return asked[0] === 'true';
  };
  return { isDryRun: take('dryRun'), takesOver: take('takeOver'), rest: params.toString() };
}

/** What the answer would be: its body beside the warnings, and no version or place, which there is none of. */
function asDry({ status, body, warnings = [] }: Answer): Answer {
  return { body: { status: status ?? (body ? 200 : 204), result: body ?? null, warnings } };
}

/** RFC 7240 §4.3; what is preferred and not known is passed over. */
function readWait(prefer: string | readonly string[] = ''): number {
  const [, seconds = '0'] = /(?:^|,)\s*wait\s*=\s*"?(\d{1,4})"?/i.exec(String(prefer)) ?? [];
  return Math.min(Number(seconds), longestWaitSeconds);
}

/** A parameter that comes twice is a list. @throws {ProblemError} `invalid_request` where none is taken */
function readQuery(text: string, isTaken: boolean): Readonly<Record<string, unknown>> {
  const read: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const earlier = read[name];
    read[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  if (isTaken || Object.keys(read).length === 0) return { ...read };
  throw new ProblemError(problems.invalidRequest, 'This address takes no parameters.');
}

function methodNotAllowed(methods: readonly string[]): ProblemError {
  return new ProblemError(problems.methodNotAllowed, `This address takes ${methods.join(', ')}.`, {
    headers: { Allow: methods.join(', ') },
  });
}
