/** Where the audit is sent on to, as the thread that does it wants to know. */
import { X509Certificate } from 'node:crypto';
import type { SettingValues } from './table.ts';

type Forwarding = Pick<
  SettingValues,
  | 'url'
  | 'auditSyslog'
  | 'auditSyslogFormat'
  | 'auditSyslogCa'
  | 'auditWebhook'
  | 'auditWebhookSecret'
  | 'outboundAllow'
>;

/** What does not go together, or cannot be read. @param problems  gets one sentence for each */
export function checkForwarding(
  { auditSyslogCa, auditWebhook, auditWebhookSecret }: Forwarding,
  readFile: (path: string) => string,
  problems: string[],
): void {
  if ((auditWebhook === undefined) !== (auditWebhookSecret === undefined)) {
    problems.push('CONSOLE_AUDIT_WEBHOOK and CONSOLE_AUDIT_WEBHOOK_SECRET go together: set both or none');
  }
  if (auditSyslogCa === undefined) return;
  try {
    new X509Certificate(readFile(auditSyslogCa));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'not understood';
    problems.push(`CONSOLE_AUDIT_SYSLOG_CA must name a readable PEM file with a certificate (${code})`);
  }
}

/** @returns undefined where nobody gets it */
export function forwardingOf(
  { url, auditSyslog, auditWebhook, outboundAllow, ...settings }: Forwarding,
  readFile: (path: string) => string,
) {
  if (auditSyslog === undefined && auditWebhook === undefined) return undefined;
  const [, host = '', port] = /^(.+):(\d+)$/.exec(auditSyslog ?? '') ?? [];
  const { auditSyslogFormat: format, auditSyslogCa: ca, auditWebhookSecret: secret } = settings;
  return {
    ownHost: new URL(url).hostname,
    ...(auditSyslog !== undefined && {
      syslog: {
        host: host.replace(/^\[|\]$/g, ''),
        port: Number(port),
        format,
        ...(ca !== undefined && { ca: readFile(ca) }),
      },
    }),
    ...(auditWebhook !== undefined &&
      secret !== undefined && {
        webhook: { url: auditWebhook, secret: secret.reveal(), outboundAllow },
      }),
  };
}
