/** What is said of a client and what is shown of one, in the words of the API. */
import { z } from 'zod';
import { deviceCodeGrant } from '../../clients/cli-client.ts';
import { holdView, ownerView } from '../../operations/owner.ts';
import { dateTime, resource, view } from '../../operations/resource-fields.ts';

export const clientId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'it has 1 to 64 letters from A to Z, digits and the characters . _ -, and starts with a letter or a digit',
  )
  .meta({ description: 'Its `client_id`; no id of a user, nor one that looks like it.', example: 'billing' });
export const secretId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'it has 1 to 64 letters from A to Z, digits and the characters . _ -, and starts with a letter or a digit',
  )
  .meta({ description: 'Among the secrets of its client.', example: 'a' });

const address = z.string().max(2048).meta({ format: 'uri' });
const addresses = z.array(address).max(200);
const grants = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

const fields = {
  displayName: z.string().max(256).meta({
    description: 'What people see of it, in 1 to 64 characters; where there is none, its id.',
    example: 'Team wiki',
  }),
  scopes: z
    .array(z.string().max(256))
    .max(200)
    .meta({
      description:
        'All that it may ask for. Where nothing is said, `openid`, `email` and `profile` for an application, and nothing for a machine.',
      example: ['svc:map:orders-*:read'],
    }),
  grants: z.array(z.enum(grants)).min(1).max(3).meta({
    description:
      'How it gets tokens. Where nothing is said, `authorization_code` and `refresh_token` with a redirect address, else `client_credentials`.',
  }),
  isPublic: z.boolean().meta({
    description: 'Has no secret: a page, or an application on somebody’s device, which could not keep one.',
  }),
  firstParty: z.boolean().meta({ description: 'People are not asked whether they let it in.' }),
  redirectUris: addresses.meta({
    description:
      'Where people come back to after they have signed in, compared character by character: `https`, or `http` at loopback.',
  }),
  postLogoutUris: addresses.meta({ description: 'Where people may be sent after they have signed out.' }),
  backchannelLogoutUri: address.meta({
    description: 'Where logout tokens are posted when a session ends (OpenID Back-Channel Logout).',
  }),
  frontchannelLogoutUri: address.meta({
    description: 'What the sign-out page loads in a hidden frame; at the origin of a redirect address.',
  }),
  logoUri: address.meta({
    description: 'A picture that the browser loads where people are asked whether they let it in.',
    example: 'https://wiki.example.com/logo.png',
  }),
  clientUri: address.meta({
    description: 'Its home page, which the account page of its users leads to (RFC 7591).',
    example: 'https://wiki.example.com/',
  }),
  pkce: z.enum(['required', 'nonce', 'optional']).meta({
    description:
      'What it sends with an authorization request: PKCE, PKCE or a nonce, or neither. Where nothing is said, `nonce`, and `required` of a public one.',
  }),
  maxRoles: z.array(z.string().max(64)).max(200).meta({
    description:
      'The most that an application gets of the roles of its users. Where nothing is said, none, and all that they have for one that is first-party.',
  }),
  tokenAlg: z.enum(['RS256', 'ES256', 'EdDSA']).meta({ description: 'Signature of its tokens.' }),
  tokenTyp: z.enum(['JWT', 'at+jwt']).meta({ description: '`typ` of its access tokens.' }),
  tokenTtlSeconds: z.number().int().min(60).max(3600).meta({
    description: 'Life of its access tokens; where nothing is said, `CONSOLE_ACCESS_TOKEN_TTL`.',
  }),
  jwks: z.strictObject({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(5) }).meta({
    description:
      'Public keys (RFC 7517) by which it proves who it is: RSA, P-256, P-384 or Ed25519. It then signs an assertion for each request (`private_key_jwt`, RFC 7523). One that is made with keys gets no secret, unless the body has one.',
  }),
  dpop: z
    .boolean()
    .meta({ description: 'Gets no bearer token: each is bound to a key that it proves to hold (RFC 9449).' }),
};

const defaults = {
  displayName: null,
  scopes: null,
  grants: null,
  isPublic: false,
  firstParty: false,
  redirectUris: [],
  postLogoutUris: [],
  backchannelLogoutUri: null,
  frontchannelLogoutUri: null,
  logoUri: null,
  clientUri: null,
  pkce: null,
  maxRoles: null,
  tokenAlg: 'RS256',
  tokenTyp: 'JWT',
  tokenTtlSeconds: null,
  jwks: null,
  dpop: false,
} as const;

/** Any client: with redirect addresses an application, without them a machine. */
export const client = resource({ fields, defaults: { ...defaults, redirectUris: [], postLogoutUris: [] } });

const { redirectUris: _given, ...ofApplications } = { ...defaults, postLogoutUris: [] };
export const application = resource({
  fields: {
    ...fields,
    scopes: fields.scopes.meta({ ...fields.scopes.meta(), example: ['openid', 'profile'] }),
    redirectUris: addresses
      .min(1)
      .meta({ ...fields.redirectUris.meta(), example: ['https://wiki.example.com/callback'] }),
  },
  defaults: ofApplications,
});

export const secretView = view({
  id: secretId,
  createdAt: dateTime.nullable(),
  lastUsedAt: dateTime.nullable(),
  expiresAt: dateTime.nullable(),
  endsOnUseOf: secretId.nullable().meta({
    description: 'The newer secret whose first use ends this one, five minutes after it.',
    example: 'b',
  }),
}).meta({ id: 'ClientSecret' });

const shownOnce = z.string().nullable().meta({
  description:
    'The secret itself, in this answer alone; null for one that was given, and where there is none.',
});

const newSecret = {
  secret: z
    .string()
    .max(1024)
    .meta({ writeOnly: true, description: 'In 32 to 256 characters; by default a random one.' })
    .exactOptional(),
  expiresAt: z.iso
    .datetime()
    .meta({ format: 'date-time', pattern: undefined, description: 'By default never.' })
    .nullable()
    .exactOptional(),
};

export const secretInput = z.strictObject({
  id: secretId.meta({ ...secretId.meta(), description: 'By default a random one.' }).exactOptional(),
  ...newSecret,
  ends: z
    .enum(['none', 'oldest', 'all'])
    .meta({
      default: 'none',
      description:
        'Which of its other secrets stop working at once. With `all`, every token that it has does too. At most two are good at the same time.',
    })
    .exactOptional(),
  othersEndAt: z.iso
    .datetime()
    .meta({
      format: 'date-time',
      pattern: undefined,
      description:
        'When its other secrets end that go on, unless they end sooner; by default they go on. Tokens that they have got stay.',
    })
    .exactOptional(),
  othersEndOnUse: z
    .boolean()
    .meta({
      default: false,
      description:
        'Its other secrets that go on end by themselves when the new one has been used: five minutes after its first use, in which others that are this client read it too. Tokens that they have got stay.',
    })
    .exactOptional(),
});

export const createdSecretView = view({ ...secretView.shape, secret: shownOnce }).meta({
  id: 'CreatedClientSecret',
});

export const clientView = view({
  id: clientId,
  kind: z.enum(['machine', 'application']).meta({ description: 'An application signs people in.' }),
  status: z.enum(['active', 'disabled']),
  ...fields,
  // By RFC 8628 the console's own command line alone.
  grants: z.array(z.enum([...grants, deviceCodeGrant])),
  displayName: fields.displayName.nullable(),
  backchannelLogoutUri: address.nullable(),
  frontchannelLogoutUri: address.nullable(),
  logoUri: address.nullable(),
  clientUri: address.nullable(),
  pkce: fields.pkce.nullable(),
  maxRoles: fields.maxRoles.nullable(),
  tokenTtlSeconds: z.number().int().nullable(),
  jwks: view({ keys: z.array(z.record(z.string(), z.unknown())) }).nullable(),
  authMethods: z
    .array(z.enum(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']))
    .meta({ description: 'How it proves who it is at the token endpoint (RFC 8414 §2).' }),
  secrets: z.array(secretView),
  lastUsedAt: dateTime.nullable(),
  lastUsedFrom: z
    .string()
    .nullable()
    .meta({ description: 'The address that its last token went to; null: not known.', example: '10.1.0.7' }),
  tokensLastHour: z.number().int().meta({
    description:
      'Tokens that it got within the last 60 minutes, at all consoles of the database: to the minute, and of other processes all but the last.',
  }),
  unused: view({
    scopes: z.array(z.string()).nullable().meta({
      description: 'What no call of the last 30 days needed; null: not known, for what `unknown` says.',
    }),
    unknown: z.enum(['new', 'uncounted', 'pending']).nullable().meta({
      description:
        'Calls of it were counted for less than 7 days; calls are not counted (`CONSOLE_USAGE_DAYS`); it is being worked out, and there in a moment.',
    }),
    isComplete: z
      .boolean()
      .meta({ description: 'Otherwise not all calls were counted, and these may be used.' }),
  })
    .exactOptional()
    .meta({
      description:
        'Of a machine in a list, for who may read what is used (`api:access:read`): of what it may, what it does not use.',
    }),
  owner: ownerView,
  hold: holdView.nullable(),
  createdAt: dateTime.nullable(),
  updatedAt: dateTime.nullable(),
}).meta({ id: 'Client' });

/** An application shows of the people who use it, too. */
export const applicationView = view({
  ...clientView.shape,
  openSessions: view({ value: z.number().int(), isExact: z.boolean() }).meta({
    description:
      'Sessions that have signed in at it. Where this is not exact, there are at least so many: a list looks at 200 for all of its items together.',
  }),
  lastLogout: view({
    state: z.enum(['confirmed', 'gave_up']),
    endedAt: dateTime.meta({ description: 'When the session ended.' }),
    at: dateTime.meta({ description: 'When it was last told.' }),
    tries: z.number().int(),
    lastError: z.string().nullable(),
  })
    .nullable()
    .meta({
      description:
        'What became of the last back-channel notice of which nothing more will come; null: there was none within 400 days.',
    }),
}).meta({ id: 'Application' });

export const createdClientView = view({ ...clientView.shape, secret: shownOnce }).meta({
  id: 'CreatedClient',
});

/** What a new client may say beside what can be changed of it. */
export const creation = { id: clientId, secret: newSecret.secret };
