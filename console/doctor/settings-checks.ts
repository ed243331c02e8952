/** What the settings say of themselves and of each other. */
import { fixOf } from '../settings/warning-fixes.ts';
import { about, type Finding } from './finding.ts';

export interface SettingsChecksDeps {
  readonly url: string;
  /** As the start of the console tells them. */
  readonly warnings: readonly string[];
  readonly hasTls: boolean;
  readonly host: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly applicationAddresses: readonly string[];
  /** `app.security.openIdp.*`, when they stand in the same environment. */
  readonly dashboardIssuerUrl: string;
  readonly dashboardRequireHttps: boolean;
}

export function checkSettings(deps: SettingsChecksDeps): readonly Finding[] {
  return [...validateWarnings(deps), ...validateProxies(deps), ...validateApplication(deps)];
}

function validateWarnings({ warnings }: SettingsChecksDeps): readonly Finding[] {
  const say = about('settings');
  if (warnings.length === 0) return [say.ok('The console can start with them.')];
  return warnings.map((warning) => say.warning(`${warning}.`, fixOf(warning)));
}

function validateProxies({ url, hasTls, host, trustedProxies }: SettingsChecksDeps): readonly Finding[] {
  const say = about('proxies in front');
  const isHttps = url.startsWith('https:');
  const everybody = trustedProxies.find((entry) => /\/0$/.test(entry));
  if (everybody !== undefined)
    return [
      say.problem(
        `CONSOLE_TRUSTED_PROXIES trusts everybody (${everybody}): whoever calls can claim to be another address.`,
        'Set CONSOLE_TRUSTED_PROXIES to the addresses of the proxies and nothing else.',
      ),
    ];
  if (isHttps && !hasTls && trustedProxies.length === 0)
    return [
      say.warning(
        'Something in front ends HTTPS, but is not trusted to say who calls: all callers share one limit and one line in the audit.',
        'Set CONSOLE_TRUSTED_PROXIES to its address (127.0.0.1,::1 on this machine), or serve HTTPS here with CONSOLE_TLS_CERT and CONSOLE_TLS_KEY.',
      ),
    ];
  if (isHttps && !hasTls && host !== undefined && !isThisMachine(host))
    return [
      say.warning(
        'CONSOLE_HOST is open to the network, and what listens there is plain HTTP.',
        'Let the proxy run on this machine and unset CONSOLE_HOST, or set CONSOLE_TLS_CERT and CONSOLE_TLS_KEY.',
      ),
    ];
  const how = isHttps ? (hasTls ? 'HTTPS ends here' : 'HTTPS ends at a trusted proxy') : 'Plain HTTP';
  return [
    say.ok(`${how}; ${trustedProxies.length === 0 ? 'no proxy is' : 'the named proxies are'} trusted.`),
  ];
}

function validateApplication(deps: SettingsChecksDeps): readonly Finding[] {
  const { url, applicationAddresses, dashboardIssuerUrl, dashboardRequireHttps } = deps;
  const say = about("application's settings");
  const findings: Finding[] = [];
  if (dashboardIssuerUrl !== url)
    findings.push(
      say.problem(
        `app.security.openIdp.issuerUrl is ${dashboardIssuerUrl} here, but the console is ${url}.`,
        `Set APP_SECURITY_OPENIDP_ISSUERURL=${url}, or unset it.`,
      ),
    );
  const plain = [url, ...applicationAddresses].filter((address) => address.startsWith('http:'));
  if (dashboardRequireHttps && plain.length > 0)
    findings.push(
      say.problem(
        `app.security.openIdp.require-https is true, but ${plain.join(', ')} is not https: the application does not start.`,
        'Use https addresses, or set APP_SECURITY_OPENIDP_REQUIREHTTPS=false.',
      ),
    );
  const exposed = plain.filter(
    (address) => url.startsWith('https:') && !isThisMachine(new URL(address).hostname),
  );
  if (exposed.length > 0)
    findings.push(
      say.warning(
        `Codes travel to ${exposed.join(', ')} in clear text.`,
        'Serve the application over HTTPS, and name its https addresses in SVC_MC_APP_ADDRESSES.',
      ),
    );
  return findings.length > 0 ? findings : [say.ok('They go with those of the console.')];
}

function isThisMachine(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || /^127\./.test(name);
}
