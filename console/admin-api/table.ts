/** Every operation: the API, its description, the commands, files of configuration and the tests of bad input come from it. */
import type { Operation } from '../operations/operation.ts';
import { type AccessNeeds, accessOperations } from './access/access-questions.ts';
import { type UsageNeeds, usageOperations } from './access/access-usage.ts';
import { type MuteNeeds, mutedDenialOperations } from './access/muted-denials.ts';
import { type ApprovalNeeds, approvalOperations } from './approvals.ts';
import { type AuditNeeds, auditOperations } from './audit/audit-operations.ts';
import { type VerificationNeeds, verificationOperations } from './audit/verification.ts';
import { type BackupNeeds, backupOperations, type ImportNeeds, importOperations } from './backups.ts';
import { type BulkActNeeds, bulkActOperations } from './bulk-acts/bulk-act-operations.ts';
import type { ClientNeeds } from './clients/client-needs.ts';
import { clientOperations } from './clients/client-operations.ts';
import { clusterOperations, type SentConfigNeeds } from './cluster/cluster-operations.ts';
import { cpOperations } from './cluster/cp.ts';
import { type HealthNeeds, healthOperations } from './cluster/health.ts';
import { mapReadingOperations, type ReadingNeeds } from './cluster/map-readings.ts';
import { mapValueOperations, type ValueNeeds } from './cluster/map-values.ts';
import { mapOperations } from './cluster/maps.ts';
import type { ClusterNeeds } from './cluster/member-calls.ts';
import { memberCommandOperations } from './cluster/member-commands.ts';
import { memberDetailOperations } from './cluster/member-details.ts';
import { memberLicenceOperations } from './cluster/member-licence.ts';
import { type DrainNeeds, queueDrainOperations } from './cluster/queue-drains.ts';
import { queueOperations } from './cluster/queues.ts';
import type { StructureNeeds } from './cluster/structure-lists.ts';
import { wanOperations } from './cluster/wan.ts';
import type { WanNeeds } from './cluster/wan-calls.ts';
import { type ConfigurationNeeds, configurationOperations } from './configuration.ts';
import { type ProviderNeeds, providerOperations } from './identity-providers.ts';
import { type InstallationNeeds, installationOperations } from './installation/installation.ts';
import { type JobNeeds, jobOperations } from './jobs.ts';
import { type KeyNeeds, keyOperations } from './keys.ts';
import { type LicenceNeeds, licenceOperations } from './licence.ts';
import { type MeNeeds, meOperations } from './me.ts';
import { type MemberNeeds, memberOperations } from './members.ts';
import { type RoleNeeds, roleOperations } from './roles.ts';
import { type LogoutNeeds, logoutOperations } from './sessions/session-logouts.ts';
import { type SessionNeeds, sessionOperations } from './sessions/sessions.ts';
import { type SettingNeeds, settingOperations } from './settings.ts';
import { type CallNeeds, callOperations } from './traffic/calls.ts';
import { type TrafficNeeds, trafficOperations } from './traffic/history.ts';
import { type OpenCallNeeds, openCallOperations } from './traffic/open-calls.ts';
import { type ElevationNeeds, elevationOperations } from './users/elevations.ts';
import { type PinNeeds, pinOperations } from './users/pins.ts';
import { type UserPasswordNeeds, userPasswordOperations } from './users/user-passwords.ts';
import { userOperations } from './users/users.ts';

/** What all of them together need. */
export type ApiServices = AccessNeeds &
  ApprovalNeeds &
  AuditNeeds &
  ClientNeeds &
  ClusterNeeds &
  StructureNeeds &
  ConfigurationNeeds &
  DrainNeeds &
  ElevationNeeds &
  BackupNeeds &
  BulkActNeeds &
  CallNeeds &
  HealthNeeds &
  ImportNeeds &
  InstallationNeeds &
  JobNeeds &
  KeyNeeds &
  LicenceNeeds &
  LogoutNeeds &
  MemberNeeds &
  MeNeeds &
  MuteNeeds &
  PinNeeds &
  OpenCallNeeds &
  ProviderNeeds &
  ReadingNeeds &
  RoleNeeds &
  SentConfigNeeds &
  SessionNeeds &
  SettingNeeds &
  TrafficNeeds &
  UsageNeeds &
  UserPasswordNeeds &
  ValueNeeds &
  VerificationNeeds &
  WanNeeds;

export const operations: readonly Operation<ApiServices>[] = [
  ...accessOperations,
  ...mutedDenialOperations,
  ...approvalOperations,
  ...auditOperations,
  ...verificationOperations,
  ...clientOperations,
  ...configurationOperations,
  ...elevationOperations,
  ...backupOperations,
  ...bulkActOperations,
  ...healthOperations,
  ...importOperations,
  ...installationOperations,
  ...jobOperations,
  ...keyOperations,
  ...licenceOperations,
  ...clusterOperations,
  ...memberLicenceOperations,
  ...cpOperations,
  ...mapOperations,
  ...mapValueOperations,
  ...mapReadingOperations,
  ...memberOperations,
  ...memberCommandOperations,
  ...memberDetailOperations,
  ...meOperations,
  ...pinOperations,
  ...providerOperations,
  ...queueOperations,
  ...queueDrainOperations,
  ...roleOperations,
  ...sessionOperations,
  ...logoutOperations,
  ...settingOperations,
  ...trafficOperations,
  ...callOperations,
  ...openCallOperations,
  ...usageOperations,
  ...userOperations,
  ...userPasswordOperations,
  ...wanOperations,
];
