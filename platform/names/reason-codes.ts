/**
 * Reasons of entries of the audit that stand in no other table: those are `problems` and `oauthErrorCodes` of
 * platform/errors.ts, the errors of the library, and `outboundFailures`. Pages have words for all of them.
 */
export const ownReasons = [
  // Of a call: a member was asked.
  'forwarded',
  'wrong_credentials',
  // A fault of the console, which its log explains.
  'failed',
  // Whoever was sent something has answered with 200, and says something else.
  'unexpected_answer',
  // Of entries that are lost: the disk took them not in time.
  'no_room',
  // Of jobs.
  'cancelled',
  'interrupted',
  'disk',
  'upload_gone',
  'keys_gone',
  'import_interrupted',
  'import_rejected',
  // Of commands.
  'approval_pending',
  'audit_failed',
  'bad_address',
  'bad_settings',
  'damaged_file',
  'expired_token',
  'no_console',
  'not_confirmed',
  'not_written',
  'sealed',
  'signed_out',
  'too_large',
  'unreadable_file',
  'unsafe_file',
  'wrong_usage',
  // Of a store that is not opened, or not written.
  'storage_corrupt',
  'storage_newer',
  'storage_locked',
  'storage_foreign',
  'storage_untrusted',
  'storage_half_migrated',
  'storage_read_only',
  'storage_full',
  'storage_limit',
  'storage_no_permission',
] as const;

export type OwnReason = (typeof ownReasons)[number];

/** Of an answer that confirms nothing. */
export function statusReason(status: number): string {
  return `status_${status}`;
}

/** @returns undefined for a reason that is none of {@link statusReason} */
export function statusOf(reason: string): string | undefined {
  return /^status_(\d{3})$/.exec(reason)?.[1];
}
