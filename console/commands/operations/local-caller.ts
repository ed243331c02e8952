/** Operations that run in this process. */
import type { RunLocally } from '../../app/operations.ts';
import type { Answer } from '../../operations/operation.ts';
import type { ApiAnswer, ApiCaller } from './api-caller.ts';

/** @param actor  `local:<user>` */
export function callerOf(run: RunLocally, actor: string): ApiCaller {
  return {
    call: async (id, request = {}) => apiAnswer(await run(id, request, actor)),
    async *stream(id, request = {}) {
      const { stream } = await run(id, request, actor);
      if (stream) yield* stream;
    },
  };
}

/** What a command is told of an answer. */
export function apiAnswer({ body, version, warnings, headers }: Answer): ApiAnswer {
  const isReplayed = headers?.['Idempotency-Replayed'] === 'true';
  return { body, version, warnings, ...(isReplayed && { isReplayed }) };
}
