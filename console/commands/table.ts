/** The commands of `npx console`: this folder has what each of them does, `runner/` how one runs, `channel/` how a running console does it. */
import { accessCommand } from './access/access.ts';
import { muteCommands } from './access/mute.ts';
import { approvalCommands } from './approval.ts';
import { auditCommands } from './audit.ts';
import { auditVerifyCommand } from './audit-verify.ts';
import { backupCommands } from './backup.ts';
import { exportCommands } from './bulk/export.ts';
import { importCommands } from './bulk/import.ts';
import { clientCommands } from './clients/client.ts';
import { callCommands } from './cluster/calls.ts';
import { clusterCommands, oneMemberCommands } from './cluster/cluster.ts';
import { mapCommands, queueCommands } from './cluster/structures.ts';
import { wanAndCpCommands } from './cluster/wan-and-cp.ts';
import { completionCommands } from './completion/completion.ts';
import { configCommands } from './config.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { elevationCommands } from './elevation.ts';
import { explainCommand } from './explain.ts';
import { healthCommand } from './health.ts';
import { idpCommands } from './identity-providers/idp.ts';
import { installationCommands } from './installation.ts';
import { backupsCommands, jobCommands } from './jobs/job.ts';
import { keyCommands } from './keys.ts';
import { licenceCommands } from './licence.ts';
import { loginCommands } from './login/commands.ts';
import { memberCommands } from './member.ts';
import { roleCommands } from './role.ts';
import type { Command } from './runner/command.ts';
import { helpCommand } from './runner/help.ts';
import { settingsCommands } from './settings.ts';
import { storageMigrateCommand } from './storage/migrate.ts';
import { tokenCommand } from './token.ts';
import { trafficCommands } from './traffic.ts';
import { usageCommands } from './usage.ts';
import { sessionCommands } from './users/session.ts';
import { userCommands } from './users/user.ts';

/** Every command, in the order in which help lists them. */
export const commands: readonly Command[] = [
  ...userCommands,
  ...roleCommands,
  ...clientCommands,
  ...idpCommands,
  ...sessionCommands,
  ...keyCommands,
  tokenCommand,
  ...loginCommands,
  ...memberCommands,
  ...oneMemberCommands,
  ...clusterCommands,
  ...mapCommands,
  ...queueCommands,
  ...wanAndCpCommands,
  explainCommand,
  ...auditCommands,
  accessCommand,
  ...muteCommands,
  ...usageCommands,
  ...approvalCommands,
  ...elevationCommands,
  ...settingsCommands,
  ...installationCommands,
  ...configCommands,
  doctorCommand,
  healthCommand,
  ...trafficCommands,
  ...callCommands,
  auditVerifyCommand,
  ...licenceCommands,
  ...importCommands,
  ...exportCommands,
  ...backupCommands,
  storageMigrateCommand,
  ...backupsCommands,
  ...jobCommands,
  ...completionCommands(() => commands),
  helpCommand(() => commands),
];
