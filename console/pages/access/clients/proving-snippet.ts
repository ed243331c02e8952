/** A token and a call with it, of a client that proves itself by a key (RFC 7523), or whose tokens are bound to one (RFC 9449). */

/** What a program is filled in with. */
export interface SnippetData {
  readonly origin: string;
  readonly id: string;
  readonly scope: string;
  readonly secret: string | undefined;
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** As the API shows it. */
export interface ProvingClient {
  readonly secrets: readonly unknown[];
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null;
  readonly dpop: boolean;
}

interface ProvingData extends SnippetData {
  /** By which it proves who it is; undefined: by its secret. */
  readonly key: Readonly<Record<string, unknown>> | undefined;
  readonly dpop: boolean;
}

/** In Node, which signs without a library. */
export function provingNode({ key, dpop, ...data }: ProvingData): string {
  return [
    imports(key !== undefined, dpop),
    signing,
    ...(dpop ? [proving] : []),
    key === undefined ? bySecret(data) : byKey(data, key),
    asking(data, dpop),
    calling(data, dpop),
  ].join('\n');
}

function imports(signs: boolean, dpop: boolean): string {
  const crypto = [
    'constants',
    ...(dpop ? ['createHash'] : []),
    ...(signs ? ['createPrivateKey'] : []),
    ...(dpop ? ['generateKeyPairSync'] : []),
    'randomUUID',
    'sign',
  ];
  const files = signs ? "\nimport { readFileSync } from 'node:fs';" : '';
  return `import { ${crypto.join(', ')} } from 'node:crypto';${files}`;
}

const signing = `const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
function signed(key, header, claims) {
  const text = \`\${encoded(header)}.\${encoded(claims)}\`;
  const digest = header.alg === 'EdDSA' ? null : \`sha\${header.alg.slice(2)}\`;
  const padding = header.alg === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {};
  const signature = sign(digest, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363', ...padding });
  return \`\${text}.\${signature.toString('base64url')}\`;
}
const now = () => Math.floor(Date.now() / 1000);`;

const proving = `const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const proof = (htm, htu, ath) => signed(privateKey,
  { typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) },
  { jti: randomUUID(), htm, htu, iat: now(), ...(ath && { ath }) });`;

function bySecret({ id, secret }: SnippetData): string {
  const value = secret ?? `\${process.env.SECRET}`;
  return `const authentication = { Authorization: \`Basic \${Buffer.from(\`${id}:${value}\`).toString('base64')}\` };
const assertion = {};`;
}

function byKey({ id, origin }: SnippetData, key: Readonly<Record<string, unknown>>): string {
  const header = JSON.stringify({ alg: algOf(key), ...(key.kid !== undefined && { kid: key.kid }) });
  return `// key.pem holds the private key
const authentication = {};
const assertion = {
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: signed(createPrivateKey(readFileSync('key.pem')), ${header},
    { iss: '${id}', sub: '${id}', aud: '${origin}', jti: randomUUID(), iat: now(), exp: now() + 60 }),
};`;
}

function algOf({ kty, crv, alg }: Readonly<Record<string, unknown>>): string {
  if (kty === 'RSA') return String(alg ?? 'RS256');
  if (alg !== undefined && alg !== 'Ed25519') return String(alg);
  return ({ 'P-256': 'ES256', 'P-384': 'ES384' } as Readonly<Record<string, string>>)[String(crv)] ?? 'EdDSA';
}

function asking({ origin, scope }: SnippetData, dpop: boolean): string {
  const endpoint = `${origin}/oauth2/token`;
  const headers = dpop ? `{ ...authentication, DPoP: proof('POST', '${endpoint}') }` : 'authentication';
  return `const grant = new URLSearchParams({ grant_type: 'client_credentials', scope: '${scope}', ...assertion });
const answer = await fetch('${endpoint}', { method: 'POST', headers: ${headers}, body: grant });
const { access_token } = await answer.json();`;
}

function calling({ origin, method, path }: SnippetData, dpop: boolean): string {
  const url = `${origin}${path}`;
  const type = method === 'POST' ? `, 'Content-Type': 'text/plain'` : '';
  const body = method === 'POST' ? `, method: 'POST', body: 'value'` : '';
  const headers = dpop
    ? `Authorization: \`DPoP \${access_token}\`, DPoP: proof('${method}', '${url}', createHash('sha256').update(access_token).digest('base64url'))`
    : `Authorization: \`Bearer \${access_token}\``;
  return `const reply = await fetch('${url}', {
  headers: { ${headers}${type} }${body} });
console.log(reply.status, await reply.text());`;
}
