import type { ManagementRoute } from '../management/management-route.ts';
import type { Persistence } from '../persistence/persistence.ts';
import { replyJson } from '../replies.ts';
import type { Call, Route } from '../router.ts';
import { management } from './management-paths.ts';

export interface PersistenceEndpointsDeps {
  /** `undefined`: the member does not persist, and answers as the real engine's community edition. */
  readonly persistence: Persistence | undefined;
  readonly managementRoute: ManagementRoute;
}

/**
 * Backups, and starting on damaged data (docs/member-surface.md#persistence). `hotBackup` and `hotBackupInterrupt`
 * are the former names of `backup` and `backupInterrupt`.
 */
export function createPersistenceRoutes({
  persistence,
  managementRoute,
}: PersistenceEndpointsDeps): readonly Route[] {
  function route(operation: string, handler: (call: Call) => void | Promise<void>): Route {
    return managementRoute({
      template: `${management}/${operation}`,
      group: 'PERSISTENCE',
      valueCount: 2,
      handler,
    });
  }

  function deprecated(successor: string, handler: (call: Call) => void | Promise<void>) {
    const warning = `299 - "Deprecated API". Please use /svc/${management}/${successor} instead. This API will be removed in future releases.`;
    return (call: Call) => {
      call.res.setHeader('Deprecation', 'true');
      call.res.setHeader('Warning', warning);
      return handler(call);
    };
  }

  /** Says `success` once the backup has begun; `fail` before the recovery is over and during another one. */
  function backUp({ res }: Call) {
    reply(res, persistence === undefined || persistence.backUp());
  }

  /** Answers when what had been written of the backup is gone. */
  async function interruptBackup({ res }: Call) {
    await persistence?.interruptBackup();
    reply(res, true);
  }

  /** `fail` unless damaged files wait for this decision. */
  function forceStart({ res }: Call) {
    reply(res, persistence?.forceStart() ?? false);
  }

  function partialStart({ res }: Call) {
    reply(res, persistence?.partialStart() ?? false);
  }

  return [
    route('forceStart', forceStart),
    route('partialStart', partialStart),
    route('backup', backUp),
    route('backupInterrupt', interruptBackup),
    route('hotBackup', deprecated('backup', backUp)),
    route('hotBackupInterrupt', deprecated('backupInterrupt', interruptBackup)),
  ];
}

function reply(res: Call['res'], isDone: boolean): void {
  replyJson(res, JSON.stringify({ status: isDone ? 'success' : 'fail' }));
}
