/** The addresses of a client: where people come back to, and where it hears of an ended session. */
import { invalid, shown, unique } from './registration-errors.ts';

export interface Addresses {
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** Gets a logout token when a session ends; called by the console, so the rules for outgoing requests hold. */
  readonly backchannelLogoutUri?: string;
  /** Loaded in a hidden frame at sign-out; at the origin of a redirect address. */
  readonly frontchannelLogoutUri?: string;
  /** A picture, loaded by the browser on the page that asks for consent. */
  readonly logoUri?: string;
  /** Its home page, opened by people. */
  readonly clientUri?: string;
}

/** Whether the console would call an address (S42). @throws {ProblemError} `invalid_url` */
export type CheckOutboundUrl = (url: string, loopbackOrigins: readonly string[]) => unknown;

const longestUri = 2048;

/** @throws {ProblemError} `invalid_request` or `invalid_url` with the first thing that is wrong */
export function checkAddresses(given: Partial<Addresses>, checkOutboundUrl: CheckOutboundUrl): Addresses {
  const redirectUris = unique(given.redirectUris).map((uri, i) => checkAddress('redirect', uri, i));
  return {
    redirectUris,
    postLogoutRedirectUris: unique(given.postLogoutRedirectUris).map((uri, i) =>
      checkAddress('post-logout', uri, i),
    ),
    ...checkLogoutUris(given, redirectUris, checkOutboundUrl),
    ...(given.logoUri === undefined ? {} : { logoUri: checkAddress('logo', given.logoUri) }),
    ...(given.clientUri === undefined ? {} : { clientUri: checkAddress('home page', given.clientUri) }),
  };
}

/** Front-Channel Logout 1.0 §2 ties the frame to a redirect address; the back channel may be elsewhere. */
function checkLogoutUris(
  { backchannelLogoutUri: back, frontchannelLogoutUri: front }: Partial<Addresses>,
  redirectUris: readonly string[],
  checkOutboundUrl: CheckOutboundUrl,
): Pick<Addresses, 'backchannelLogoutUri' | 'frontchannelLogoutUri'> {
  const origins = redirectUris.map((uri) => new URL(uri).origin);
  if (back !== undefined) checkOutboundUrl(checkAddress('back-channel logout', back), origins);
  if (front !== undefined && !origins.includes(new URL(checkAddress('front-channel logout', front)).origin)) {
    throw invalid(
      'The front-channel logout address must have the scheme, host and port of a redirect address.',
      pointers['front-channel logout'],
    );
  }
  return {
    ...(back === undefined ? {} : { backchannelLogoutUri: back }),
    ...(front === undefined ? {} : { frontchannelLogoutUri: front }),
  };
}

type AddressKind =
  | 'redirect'
  | 'post-logout'
  | 'back-channel logout'
  | 'front-channel logout'
  | 'logo'
  | 'home page';

/** Where each stands in the words of the API. */
const pointers: Readonly<Record<AddressKind, `/${string}`>> = {
  redirect: '/redirectUris',
  'post-logout': '/postLogoutUris',
  'back-channel logout': '/backchannelLogoutUri',
  'front-channel logout': '/frontchannelLogoutUri',
  logo: '/logoUri',
  'home page': '/clientUri',
};

/** One that browsers leave as it is, since it is compared character by character (S16). */
function checkAddress(kind: AddressKind, uri: string, index?: number): string {
  const pointer = pointers[kind] + (index === undefined ? '' : `/${index}`);
  const invalidAddress = (why: string) => invalid(`The ${kind} address ${why}: ${shown(uri)}`, pointer);
  if (uri.length > longestUri) throw invalidAddress(`has more than ${longestUri} characters`);
  if (!URL.canParse(uri)) throw invalidAddress('must be absolute, such as https://app.example.com/callback');
  const url = new URL(uri);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw invalidAddress('must be https, or http at localhost, 127.0.0.1 or [::1]');
  }
  // Origins go into the policies of pages, where a `;` or a `,` would end what is said of them.
  if (!/^[\w.:[\]-]+$/.test(url.host))
    throw invalidAddress('must have a host name of letters, digits, dots and hyphens');
  if (uri.includes('#')) throw invalidAddress('must have no fragment');
  if (url.username !== '' || url.password !== '') throw invalidAddress('must hold no user name or password');
  if (uri.includes('*')) throw invalidAddress('must have no wildcard: register each address');
  if (url.href !== uri && url.href !== `${uri}/`)
    throw invalidAddress(`must be written as ${shown(url.href)}`);
  return uri;
}

function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
