import { isMetadata } from '../cp/cp-groups.ts';
import type { CpSubsystem } from '../cp/cp-subsystem.ts';
import type { ManagementEndpoint, ManagementRoute } from '../management/management-route.ts';
import { OperationFailedError } from '../operation-failed.ts';
import { replyEmpty, replyJson } from '../replies.ts';
import type { Call, Handler, Route } from '../router.ts';

export interface CpEndpointsDeps {
  readonly cp: CpSubsystem;
  readonly managementRoute: ManagementRoute;
}

/**
 * CP members, groups and sessions (docs/member-surface.md#cp); the payloads, which the specification does
 * not show, are the real engine's. It lists these paths under two groups, `reset` under one and `restart`
 * under the other: either group opens all of them, by both names.
 */
export function createCpRoutes({ cp, managementRoute }: CpEndpointsDeps): readonly Route[] {
  function showLocalMember({ res }: Call) {
    const member = cp.localMember();
    if (member === undefined) return replyEmpty(res, 404);
    replyJson(res, JSON.stringify(member));
  }

  function showMembers({ res }: Call): void {
    replyJson(res, JSON.stringify(cp.members()));
  }

  function showGroups({ res }: Call): void {
    const ids = cp.groups().list();
    replyJson(res, JSON.stringify(ids.map(({ id }) => id)));
  }

  function showGroup({ res }: Call, name: string) {
    const group = cp.groups().find(name);
    if (group === undefined) return replyEmpty(res, 404);
    const { id } = group;
    replyJson(res, JSON.stringify({ id, status: 'ACTIVE', members: cp.members() }));
  }

  function showSessions({ res }: Call, name: string) {
    const group = cp.groups().find(name);
    if (group === undefined) return replyEmpty(res, 404);
    if (group.sessions === undefined) throw new OperationFailedError('METADATA takes no sessions');
    replyJson(res, JSON.stringify(group.sessions.list()));
  }

  function promote({ res }: Call): void {
    cp.promote();
    replyEmpty(res, 200);
  }

  function removeMember({ res }: Call, _values: readonly string[], uuid = ''): void {
    if (!uuidForm.test(uuid)) throw new OperationFailedError('a CP member is named by its UUID');
    replyEmpty(res, cp.removeMember(uuid) ? 200 : 400);
  }

  function destroyGroup({ res }: Call, _values: readonly string[], name = '') {
    if (isMetadata(name)) return replyEmpty(res, 400);
    replyEmpty(res, cp.groups().destroy(name) ? 200 : 400);
  }

  function removeSession({ res }: Call, _values: readonly string[], name = '', id = ''): void {
    if (!wholeNumber.test(id)) throw new OperationFailedError('a CP session is named by its number');
    const isRemoved = cp.groups().find(name)?.sessions?.remove(Number(id)) ?? false;
    replyEmpty(res, isRemoved ? 200 : 400);
  }

  function reset({ res }: Call): void {
    cp.reset();
    replyEmpty(res, 200);
  }

  const read = (path: string, handler: Handler): Route => ({
    method: 'GET',
    template: `${base}/${path}`,
    group,
    handler,
  });
  const write = (path: string, handler: ManagementEndpoint['handler']): Route =>
    managementRoute({ template: `${base}/${path}`, group, valueCount: 2, handler });

  return [
    read('members/local', showLocalMember),
    read('members', showMembers),
    read('groups', showGroups),
    read('groups/{group}', showGroup),
    read('groups/{group}/sessions', showSessions),
    write('members', promote),
    write('members/{uuid}/remove', removeMember),
    write('groups/{group}/remove', destroyGroup),
    write('groups/{group}/sessions/{session}/remove', removeSession),
    write('reset', reset),
    write('restart', reset),
  ];
}

const base = 'rest/cp-subsystem';
const group = ['CP', 'CLUSTER_WRITE'] as const;

/** Leading zeros may be left out, as the real engine reads it. */
const uuidForm = /^[0-9a-f]{1,8}(-[0-9a-f]{1,4}){3}-[0-9a-f]{1,12}$/i;
const wholeNumber = /^[+-]?\d{1,18}$/;
