/** A console and two separate proxies behind a load balancer, and callers who come over TLS from an address of theirs. */
import { once } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { type Agent, request } from 'node:https';
import { connect } from 'node:tls';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/store.ts';
import { type Certificate, makeCertificate } from '../peers/support/certificate.ts';
import type { RunningProgram } from '../peers/support/program.ts';
import { addProxyClient, memberOf, type RunningProxy, startProxy } from '../proxy/support.ts';
import { type Front, startFront } from './fronts.ts';

/** Callers come from here, the front asks from 127.0.0.1: the two can be told apart. */
export const callerAddress = '127.0.0.2';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface CallOptions {
  readonly token?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

export interface Installation {
  readonly url: string;
  readonly console: RunningConsole;
  readonly proxies: readonly [RunningProxy, RunningProxy];
  readonly certificate: Certificate;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** A machine's token, asked for through the front. */
  token(form?: Readonly<Record<string, string>>, headers?: OutgoingHttpHeaders): Promise<string>;
  /** Bytes as they are over one connection. @returns what came until the other side ended it, or fell silent */
  raw(bytes: string): Promise<string>;
  /** What the front has written. */
  output(): string;
  stop(): Promise<void>;
}

export async function startInstallation(front: Front): Promise<Installation> {
  const certificate = await makeCertificate();
  const [port, plainPort] = [await freePort(), await freePort()];
  const url = `https://localhost:${port}`;
  const env = { CONSOLE_URL: url, CONSOLE_HOST: '127.0.0.1', CONSOLE_TRUSTED_PROXIES: '127.0.0.1' };
  const [consolePort, managementPort] = [await freePort(), await freePort()];
  const console = await startConsole({
    port: consolePort,
    env: { ...env, CONSOLE_MANAGEMENT_PORT: String(managementPort) },
  });
  const client = await addProxyClient(console);
  const start = () =>
    startProxy({
      console,
      client,
      members: [memberOf(console)],
      env: {
        ...env,
        CONSOLE_PROXY_URL: url,
        CONSOLE_JWKS_URI: `http://127.0.0.1:${consolePort}/oauth2/jwks`,
      },
    });
  const proxies = [await start(), await start()] as const;
  const proxyPorts = [portOf(proxies[0]), portOf(proxies[1])] as const;
  const consoles = [
    { port: consolePort, managementPort },
    // One that has gone: callers are not to notice.
    { port: await freePort(), managementPort: await freePort() },
  ] as const;
  const running: RunningProgram = await startFront(front, {
    ...{ port, plainPort, consoles, proxyPorts, certificate },
  });
  const call = callFront(port, certificate);
  // A port that is open may have no routes yet, and may not have found out yet who is there: in turn both would be asked.
  const isUp = async () => {
    for (let n = 0; n < 4; n++) {
      const status = await call('GET', '/live')
        .then((answer) => answer.status)
        .catch(() => undefined);
      if (status !== 200) return false;
    }
    return true;
  };
  await until(isUp, `${front.name} to have its routes`, 30_000);

  return {
    ...{ url, console, proxies, certificate, call },
    async token(form = {}, headers = {}) {
      const basic = `Basic ${btoa(`application-client:${clientSecret}`)}`;
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString();
      const type = 'application/x-www-form-urlencoded';
      const all = { authorization: basic, 'content-type': type, ...headers };
      const answer = await call('POST', '/oauth2/token', { headers: all, body });
      if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.body}`);
      return JSON.parse(answer.body).access_token;
    },
    raw: (bytes) => exchangeBytes(port, certificate, bytes),
    output: running.output,
    async stop() {
      await running.stop();
      for (const proxy of proxies) await proxy.stop();
      await console.stop();
      await certificate.remove();
    },
  };
}

/** Over TLS, from {@link callerAddress}. @param agent  keeps connections; absent: each call has one of its own */
export function callFront(port: number, certificate: Certificate, agent?: Agent): Installation['call'] {
  return (method, path, options) => ask({ port, certificate, agent, method, path, ...options });
}

function portOf({ url }: RunningProxy): number {
  return Number(new URL(url).port);
}

interface Asked extends CallOptions {
  readonly port: number;
  readonly certificate: Certificate;
  readonly agent: Agent | undefined;
  readonly method: string;
  readonly path: string;
}

function ask({ port, certificate, agent, method, path, token, headers = {}, body }: Asked): Promise<Answer> {
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = {
    ...{ host: '127.0.0.1', servername: 'localhost', localAddress: callerAddress, port, method, path },
    ...{ ca: certificate.pem, agent: agent ?? false },
    headers: { host: `localhost:${port}`, ...bearer, ...length, ...headers },
  };
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const sent = request(options, (reply) => {
      isAnswered = true;
      let text = '';
      reply.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      reply.once('end', () => {
        resolve({ status: reply.statusCode!, headers: reply.headers, body: text });
        if (!agent) sent.destroy();
      });
      reply.once('error', reject);
    });
    // A body that is declared and not sent is cut when the answer is there.
    sent.once('error', (error) => !isAnswered && reject(error));
    if (body !== undefined || headers['content-length'] === undefined) sent.end(body);
    else sent.flushHeaders();
  });
}

const silenceMs = 1_500;

async function exchangeBytes(port: number, certificate: Certificate, bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: certificate.pem });
  await once(socket, 'secureConnect');
  let received = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    received += part;
  });
  socket.on('error', () => {});
  socket.setTimeout(silenceMs, () => socket.destroy());
  const closed = once(socket, 'close');
  socket.write(bytes, 'latin1');
  await closed;
  return received;
}
