/** The members: each by itself, and one of them through the proxy, as a machine reaches it. */
import { jsonObject } from '../../platform/json.ts';
import { statusOf } from './console-checks.ts';
import { about, type Finding } from './finding.ts';
import { type Answer, type Probe, ProbeError, short } from './probe.ts';

export interface MembersChecksDeps {
  readonly probe: Probe;
  /** CONSOLE_URL. */
  readonly url: string;
  /** CONSOLE_MEMBERS; empty: the embedded one. */
  readonly members: readonly string[];
  /** CONSOLE_MEMBER_PREFIX. */
  readonly memberPrefix: string | undefined;
  /** CONSOLE_APPLICATION_CLIENT_SECRET. */
  readonly clientSecret: string | undefined;
  /** Of that client, where there is one already. */
  readonly token: string | undefined;
  readonly clientId: string;
  readonly isConsoleThere: boolean;
}

const check = 'members through the proxy';
/** First path segments that members have. */
const prefixes = ['svc', 'hazelcast'];

export async function checkMembers(deps: MembersChecksDeps): Promise<readonly Finding[]> {
  const { probe, members, memberPrefix, isConsoleThere } = deps;
  const directly = await Promise.all(members.map((member) => checkMember(probe, member, memberPrefix)));
  return isConsoleThere ? [...directly, ...(await checkProxy(deps))] : directly;
}

/** Any answer of HTTP will do: groups of endpoints may be off. A real member does not answer to the wrong prefix. */
async function checkMember(probe: Probe, member: string, set: string | undefined): Promise<Finding> {
  const say = about(`member ${member}`);
  const found = await Promise.all(
    prefixes.map(async (prefix) => ({
      prefix,
      status: await statusOf(probe, `${member}/${prefix}/health/ready`),
    })),
  );
  const answering = found.filter(({ status }) => typeof status === 'number');
  if (answering.some(({ prefix }) => set === undefined || prefix === set))
    return say.ok('It answers from here.');
  const [other] = answering;
  if (other) {
    return say.problem(
      `It answers to paths that begin with /${other.prefix}, and CONSOLE_MEMBER_PREFIX is ${set}.`,
      `Set CONSOLE_MEMBER_PREFIX=${other.prefix}, or unset it and let it be found; restart the console.`,
    );
  }
  const reason = String(found.find(({ status }) => status !== 'timeout')?.status ?? 'timeout');
  return say.problem(`Nobody answers there (${reason}).`, fixFor(reason, member));
}

function fixFor(reason: string, member: string): string {
  const isHttps = member.startsWith('https:');
  if (isHttps && reason === 'CERT_HAS_EXPIRED') return 'Renew the certificate of the member.';
  if (isHttps && /SSL|EPROTO|TLS/.test(reason)) {
    return 'What listens there speaks no TLS: write its address with http: in CONSOLE_MEMBERS, or turn TLS on at the member.';
  }
  if (isHttps && new ProbeError(reason).isAboutTls) {
    return 'Set NODE_EXTRA_CA_CERTS to the PEM file of the authority of its certificate, which has to name this host.';
  }
  return 'Start the member with REST enabled, or correct CONSOLE_MEMBERS.';
}

async function checkProxy(deps: MembersChecksDeps): Promise<readonly Finding[]> {
  const say = about(check);
  const { probe, url, clientSecret } = deps;
  if (clientSecret === undefined && deps.token === undefined) {
    return [
      say.warning(
        'It was not tried, since a call needs a token and there is no client for it.',
        'Set CONSOLE_APPLICATION_CLIENT_SECRET ("$(openssl rand -hex 24)") for the console.',
      ),
    ];
  }
  try {
    const token = deps.token ?? (await askToken(deps, clientSecret!));
    if (typeof token !== 'string') return [token];
    const headers = { Authorization: `Bearer ${token}` };
    const reached = validate(await probe(`${url}/svc/health/ready`, { headers }));
    return [reached, ...(await checkCredentials(deps, headers))];
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    return [say.problem(`The call broke off (${error.reason}).`, "Read the console's log.")];
  }
}

/** Whether members take what the console fills in; only those are told that do not. It asks, and changes nothing. */
async function checkCredentials(
  { probe, url, members }: MembersChecksDeps,
  headers: Readonly<Record<string, string>>,
): Promise<readonly Finding[]> {
  const hosts = members.length > 0 ? members.map((member) => new URL(member).host) : [undefined];
  const found = await Promise.all(
    hosts.map(async (host) => {
      const at = host === undefined ? url : `${url}/members/${host}`;
      const asked = { method: 'POST', headers, body: '&' };
      const { status, text } = await probe(`${at}/svc/rest/management/cluster/state`, asked);
      const isRejected = status === 403 && jsonObject(text)?.message === 'unauthenticated';
      return isRejected ? [rejectedCredentials(host)] : [];
    }),
  );
  return found.flat();
}

function rejectedCredentials(host: string | undefined): Finding {
  return about(host === undefined ? 'credentials at the member' : `credentials at member ${host}`).problem(
    'It refuses the credentials that the console fills in for callers: their management calls end with 403.',
    'Set CONSOLE_MEMBER_USERNAME and CONSOLE_MEMBER_PASSWORD, or its entry in CONSOLE_MEMBER_CREDENTIALS, to what its cluster takes, and restart the console.',
  );
}

/** With the smallest role that opens it. */
async function askToken(
  { probe, url, clientId }: MembersChecksDeps,
  secret: string,
): Promise<string | Finding> {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  const answer = await probe(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'app:MetricsViewer' }),
  });
  const { access_token: token, error } = jsonObject(answer.text) ?? {};
  if (typeof token === 'string') return token;
  return about(check).problem(
    `The running console gives ${clientId} no token (${short(error ?? answer.status)}).`,
    'Give the console and the doctor the same CONSOLE_APPLICATION_CLIENT_SECRET, and restart the console.',
  );
}

function validate({ status, headers, text }: Answer): Finding {
  const say = about(check);
  const isOfProxy = headers.get('content-type')?.startsWith('application/problem+json') === true;
  if (status === 200) return say.ok('A call with a token reaches a member, which is ready.');
  if (isOfProxy) {
    const { code, detail } = jsonObject(text) ?? {};
    return say.problem(
      `The proxy answers ${status} ${short(code)}: ${short(detail)}`,
      'Correct CONSOLE_MEMBERS, and start the members; without CONSOLE_MEMBERS read the log of the console.',
    );
  }
  if (status === 403) {
    return say.warning(
      'A member answers, but its health endpoints are off.',
      'Enable the group HEALTH_CHECK in the configuration of the members.',
    );
  }
  return say.warning(`A member answers, but is not ready (${status}).`, 'Read the log of the member.');
}
