/** What operations on members and the cluster work on. */
import { createMemberStates } from '../members/member-states.ts';
import { askMembers, type KnownMembers, openMembers } from '../members/own-calls.ts';
import { createStructureNames } from '../members/structure-names.ts';
import { createHealthFindings } from './findings/health-findings.ts';
import type { Services } from './services.ts';

/** @param members  absent where no console runs */
export function createClusterServices(
  services: Services,
  members: KnownMembers | undefined,
  { isDry }: { readonly isDry: boolean },
) {
  const { memberRecords, settings, storage } = services;
  const memberStates = createMemberStates({
    memberRecords,
    statuses: members?.statuses,
    configured: settings.members,
  });
  const askMember = askMembers(members, isDry);
  return {
    memberStates,
    askMember,
    openMember: openMembers(members, isDry),
    mostValueBytes: settings.proxyBodyLimitBytes,
    structureNames: createStructureNames({ ...services, registry: storage.registry }),
    healthFindings: createHealthFindings({ services, memberStates, askMember }),
  };
}
