/** What only who has the store open can tell the doctor. */
import { randomUUID } from 'node:crypto';
import type { Audit } from '../../../platform/log.ts';
import { directoryStateOf } from '../../app/directory-state.ts';
import type { Services } from '../../app/services.ts';
import { inspectClients } from '../../clients/client-excess.ts';
import { dashboardClientId } from '../../clients/clients.ts';
import { rolesOfMachine } from '../../clients/role-ceiling.ts';
import { applicationClientId } from '../../clients/scopes.ts';
import { differenceIn } from '../../configuration/directory/differing-files.ts';
import type { FollowedFiles } from '../../doctor/configuration-checks.ts';
import type { Delivery } from '../../licence/deliveries.ts';
import { isSettled } from '../../licence/licence-updates.ts';
import type { Settings } from '../../settings/settings.ts';
import type { StorageUnavailableError } from '../../storage/storage.ts';
import { describingClaims } from '../../tokens/access-token.ts';
import type { ConsoleKnowledge, StoreKnowledge } from '../channel/store-knowledge.ts';
import { deepestReason } from '../runner/failures.ts';
import { settingsOf } from './judged-settings.ts';

/** For all clients to be read, milliseconds. */
const clientsMs = 3_000;
/** So long that an application with a clock that is wrong can still say so. */
const requestSeconds = 300;
/** For the calls of the doctor, which follow at once. */
const tokenSeconds = 60;
const tokenScopes = ['app:MetricsViewer'];

/** Of the console that runs: of its store, and what it runs with. @param settings  in force now */
export async function reportConsole(
  services: Services,
  settings: Settings,
  { isDeep, audit }: { readonly isDeep: boolean; readonly audit: Audit },
): Promise<Omit<ConsoleKnowledge, 'dataDir' | 'pid'>> {
  const { clientSecret: _unsaid, ...judged } = settingsOf(settings);
  const token = await machineToken(services, settings.url, audit);
  const store = await reportStore(services, settings.url, { isDeep });
  return { ...store, settings: { ...judged, ...(token !== undefined && { token }) } };
}

/** A token as the application gets one, so that its secret stays where it is. */
async function machineToken(
  { clients, keys, resources, now }: Services,
  issuer: string,
  audit: Audit,
): Promise<string | undefined> {
  const client = await clients.find(applicationClientId);
  if (!client || keys.published().length === 0) return undefined;
  const { id } = client;
  const roles = rolesOfMachine(client, tokenScopes);
  const subject = { subject: id, username: id, email: id, roles, clientId: id, scopes: tokenScopes };
  const iat = Math.floor(now() / 1000);
  const jti = randomUUID();
  const own = { iss: issuer, aud: resources.members, iat, exp: iat + tokenSeconds, jti };
  const token = await keys
    .signing(client.tokenAlg)
    .signJwt({ ...own, ...describingClaims(subject) }, client.tokenTyp);
  const about = { source: 'command line', requestId: randomUUID(), outcome: 'success' } as const;
  audit('token.issued', { ...about, actor: id, grantType: 'client_credentials', jti });
  return token;
}

/** @param url  what the question to the application is signed for */
export async function reportStore(
  services: Services,
  url: string,
  { checks = true, isDeep = false }: { readonly checks?: boolean; readonly isDeep?: boolean } = {},
): Promise<StoreKnowledge> {
  const { keys, clients, settings, storage, licenceDeliveries, consoles } = services;
  const kids = keys.published().map(({ key }) => key.kid);
  const delivery = await licenceDeliveries.current();
  const differingFiles = consoles && differenceIn(await consoles.compareFiles(), true);
  const waiting = delivery && !isSettled(delivery) ? delivery : undefined;
  const unwritable = checks ? await storage.checkWritable().then(() => undefined, inShort) : undefined;
  return {
    kids,
    ...(await inspectClients(clients, {
      now: services.now(),
      mostMs: clientsMs,
      isDashboardDefault: settings.origins.applicationAddresses === 'default',
    })),
    ...(kids.length > 0 && checks ? { request: await signRequest(services, url) } : {}),
    ...(waiting ? { waitingLicence: licenceOf(waiting) } : {}),
    ...(settings.configDir === undefined
      ? {}
      : { configuration: await followedFiles(settings.configDir, storage) }),
    ...(differingFiles === undefined ? {} : { differingFiles }),
    denials: await deniedCallers(services),
    ...(unwritable === undefined ? {} : { unwritable }),
    ...(storage.database ? { database: await storage.database() } : {}),
    ...(isDeep ? { contents: await storage.check() } : {}),
  };
}

async function deniedCallers(services: Services) {
  const denied = await services.deniedCallers.list({ isNow: true });
  return denied.map(({ kind, id, reason, fix }) => ({ kind, id, reason, fix }));
}

async function followedFiles(path: string, storage: Services['storage']): Promise<FollowedFiles> {
  const last = await directoryStateOf(storage).read();
  return last ? { path, state: last.state, problem: last.problem } : { path };
}

function inShort(error: StorageUnavailableError) {
  const { state } = error;
  return { reason: deepestReason(error), ...(state === undefined ? {} : { state }) };
}

function licenceOf({ licenceId, reason }: Delivery) {
  return { id: licenceId, ...(reason === undefined ? {} : { reason }) };
}

export function signRequest({ keys, now }: Services, url: string): Promise<string> {
  const iat = Math.floor(now() / 1000);
  const exp = iat + requestSeconds;
  const claims = { iss: url, aud: dashboardClientId, iat, exp, jti: randomUUID() };
  return keys.signing('RS256').signJwt(claims, 'doctor+jwt');
}
