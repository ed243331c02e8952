/** Operations that run in this process. */
import type { RunLocally } from '../../app/operations.ts';
import type { ApiCaller } from './api-caller.ts';

/** @param actor  `local:<user>` */
export function callerOf(run: RunLocally, actor: string): ApiCaller {
  return {
    call: (id, request = {}) => run(id, request, actor),
    async *stream(id, request = {}) {
      const { stream } = await run(id, request, actor);
      if (stream) yield* stream;
    },
  };
}
