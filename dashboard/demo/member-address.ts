/**
 * One address of the demo's cluster: it says who it is, and passes everything else on to the one member that holds the data, as it comes.
 * It can go and come back, as a member does that is started anew.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { changeFields, changeFor, type Speaker } from './member-answers.ts';

export interface MemberAddressOptions {
  readonly port: number;
  /** Base address of the member that holds the data. */
  readonly holderUrl: string;
  /** How much later it answers, milliseconds. */
  readonly delayMs: () => number;
  readonly isCpMember: boolean;
  readonly speaker: () => Speaker;
  /** It was told to shut down, by who may. */
  readonly onShutdown: () => void;
}

export interface MemberAddress {
  /** @throws {Error} when the port is taken */
  open(): Promise<void>;
  /** Whoever is connected is cut off, as by a process that has ended. */
  close(): Promise<void>;
}

const shutdownPath = 'rest/management/cluster/memberShutdown';
const cpMembersPath = 'rest/cp-subsystem/members';
const cpLocalPath = `${cpMembersPath}/local`;
const statePath = 'rest/management/cluster/state';
/** As the member's own (member/listen.ts). */
const keepAliveTimeout = 75_000;

export function createMemberAddress(options: MemberAddressOptions): MemberAddress {
  const { port, holderUrl, delayMs, isCpMember, speaker, onShutdown } = options;
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ keepAliveTimeout }, (req, res) => {
    res.sendDate = false;
    answer(req, res).catch(() => res.destroy());
  });

  return {
    async open() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      const closed = server.listening && once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      agent.destroy();
    },
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const late = delayMs();
    if (late > 0) await pause(late);
    const { method, url = '' } = req;
    const [, prefix = '', path = ''] = /^\/(\w+)\/([^?]*?)\/?(?:\?.*)?$/.exec(url) ?? [];
    const isPost = method === 'POST' || method === 'PUT';
    if (path === 'health/ready' && speaker().isLeaving) return replyEmpty(503, res);
    if (path === shutdownPath && isPost) return shutDown(prefix, req, res);
    if (!isCpMember && path === cpLocalPath) return replyEmpty(404, res);
    if (!isCpMember && path === cpMembersPath && isPost) return rejectPromotion(prefix, req, res);
    const change = changeFor(path);
    const said = await forward(req, res, url);
    if (said.statusCode !== 200 || !change) return passOn(said, res);
    if (method === 'HEAD') return void res.writeHead(200, changeFields(said.rawHeaders, speaker())).end();
    replyText(said, change(await text(said), speaker()), res);
  }

  async function shutDown(prefix: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const said = await allowed(prefix, req, res);
    if (!said) return;
    replyText(said, JSON.stringify({ status: 'success' }), res);
    onShutdown();
  }

  /** The one CP member is the first: the others cannot become one. */
  async function rejectPromotion(prefix: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (await allowed(prefix, req, res)) replyEmpty(500, res);
  }

  /** Whether the caller may is for the member to say: it is asked for something harmless with the same name and password. */
  async function allowed(
    prefix: string,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<IncomingMessage | undefined> {
    const said = await forward(req, res, `/${prefix}/${statePath}`);
    if (said.statusCode !== 200) {
      passOn(said, res);
      return undefined;
    }
    await text(said);
    return said;
  }

  /** @returns the head of the answer. Rejects where it hangs up, as it does where a group is off */
  async function forward(req: IncomingMessage, res: ServerResponse, path: string): Promise<IncomingMessage> {
    const { method = 'GET', headers } = req;
    const isSized = 'content-length' in headers || 'transfer-encoding' in headers || !method.startsWith('P');
    const asked = request(`${holderUrl}${path}`, {
      ...{ agent, method, path },
      headers: isSized ? headers : { ...headers, 'content-length': '0' },
    });
    // A poll whose caller has gone must not take an item.
    res.once('close', () => {
      if (!res.writableFinished) asked.destroy();
    });
    req.pipe(asked);
    const [said] = (await once(asked, 'response')) as [IncomingMessage];
    asked.on('error', () => res.destroy());
    said.on('error', () => res.destroy());
    return said;
  }
}

function passOn(said: IncomingMessage, res: ServerResponse): void {
  res.writeHead(said.statusCode!, said.rawHeaders);
  said.pipe(res);
}

function replyEmpty(status: number, res: ServerResponse): void {
  res.writeHead(status, ['Content-Length', '0']).end();
}

function replyText({ rawHeaders }: IncomingMessage, body: string, res: ServerResponse): void {
  const fields = rawHeaders.map((field, at) =>
    rawHeaders[at - 1]?.toLowerCase() === 'content-length' && at % 2 === 1
      ? String(Buffer.byteLength(body))
      : field,
  );
  res.writeHead(200, fields).end(body);
}
