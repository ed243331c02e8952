/** The suite's plans that the console is to pass. */
import type { Variant } from './suite/api.ts';

export interface PlanToRun {
  /** On the command line and in the report. */
  readonly name: string;
  readonly plan: string;
  readonly variant: Variant;
  /** Of {@link addClients}; absent where the console itself is the client. */
  readonly client?: string;
  /** The module that is run before the others. */
  readonly first?: string;
}

const registered = { client_registration: 'static_client' };
const asProvider = { ...registered, server_metadata: 'discovery' };
const byCode = { ...registered, response_type: 'code' };
const asClient = { ...registered, request_type: 'plain_http_request' };
const withSecret = { ...asClient, client_auth_type: 'client_secret_basic' };

export const plans: readonly PlanToRun[] = [
  { name: 'config', plan: 'oidcc-config-certification-test-plan', variant: {}, client: 'basic' },
  { name: 'basic', plan: 'oidcc-basic-certification-test-plan', variant: asProvider, client: 'basic' },
  {
    name: 'form-post',
    plan: 'oidcc-formpost-basic-certification-test-plan',
    variant: asProvider,
    client: 'basic',
  },
  {
    name: 'logout',
    plan: 'oidcc-rp-initiated-logout-certification-test-plan',
    variant: byCode,
    client: 'logout',
  },
  {
    name: 'back-channel',
    plan: 'oidcc-backchannel-rp-initiated-logout-certification-test-plan',
    variant: byCode,
    client: 'back-channel',
  },
  {
    name: 'front-channel',
    plan: 'oidcc-frontchannel-rp-initiated-logout-certification-test-plan',
    variant: byCode,
    client: 'front-channel',
  },
  { name: 'rp-basic', plan: 'oidcc-client-basic-certification-test-plan', variant: asClient },
  {
    name: 'rp-config',
    plan: 'oidcc-client-config-certification-test-plan',
    variant: withSecret,
    // Makes keys that the suite keeps. Otherwise `…-just-before-signing` makes them, while the console waits for its token.
    first: 'oidcc-client-test-signing-key-rotation',
  },
  { name: 'rp-logout', plan: 'oidcc-client-rp-initiated-logout-rp-basic', variant: withSecret },
  { name: 'rp-back-channel', plan: 'oidcc-client-back-channel-logout-rp-basic', variant: withSecret },
];
