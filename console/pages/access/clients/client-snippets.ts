/** A token and a call with it, complete but for the secret, and with it while it is known. */
import type { Snippet } from '../../../../views/management/snippets.tsx';
import type { Translate } from '../../../../views/texts/text.ts';
import { type ProvingClient, provingNode, type SnippetData } from './proving-snippet.ts';

interface SnippetClient extends Partial<ProvingClient> {
  readonly id: string;
  readonly scopes: readonly string[];
}

/** @param origin  of this console. @param secret  of the client, on the one page that has it */
export function snippetsFor(
  origin: string,
  { id, scopes, secrets, jwks = null, dpop = false }: SnippetClient,
  secret?: string,
): readonly Snippet[] {
  const call = firstCall(scopes);
  const scope = scopes.join(' ');
  const data = { origin, id, scope, secret, ...call };
  const signs = jwks !== null && secrets?.length === 0;
  // What proves that it holds a key takes a program.
  if (signs || dpop) {
    const key = signs ? jwks.keys[0] : undefined;
    return [{ language: 'Node', text: provingNode({ ...data, key, dpop }) }];
  }
  return [
    { language: 'curl', text: curl(data) },
    { language: 'Python', text: python(data) },
    { language: 'Node', text: node(data) },
    { language: 'Java', text: java(data) },
    { language: 'Go', text: go(data) },
  ];
}

/** For who has none yet: the first one, and what it does. */
export function firstClientSnippets(origin: string, t: Translate): readonly Snippet[] {
  const first = { id: 'billing', scopes: ['svc:map:orders:read'] };
  const command = `npx console client add ${first.id} --scope "${first.scopes.join(' ')}"`;
  const [call] = snippetsFor(origin, first);
  return [{ language: t('frame.command'), text: command }, call!];
}

/** One that its scopes open, if there is one. */
export function firstCall(scopes: readonly string[]): Pick<SnippetData, 'method' | 'path'> {
  for (const scope of scopes) {
    const [, kind, pattern = '', action] = /^svc:(map|queue):(.+):(\w+)$/.exec(scope) ?? [];
    const name = encodeURIComponent(pattern.replace(/\*$/, 'example'));
    if (kind === 'map')
      return { method: action === 'write' ? 'POST' : 'GET', path: `/svc/rest/maps/${name}/key` };
    if (kind !== 'queue') continue;
    if (action === 'offer') return { method: 'POST', path: `/svc/rest/queues/${name}` };
    return { method: 'GET', path: `/svc/rest/queues/${name}/${action === 'size' ? 'size' : '5'}` };
  }
  if (scopes.includes('svc:data:read')) return { method: 'GET', path: '/svc/rest/maps/example/key' };
  return { method: 'GET', path: '/svc/rest/cluster' };
}

function curl({ origin, id, scope, secret, method, path }: SnippetData): string {
  const body = method === 'POST' ? " -H 'Content-Type: text/plain' -d 'value'" : '';
  return `${secret === undefined ? '# SECRET holds the secret' : `SECRET='${secret}'`}
TOKEN=$(curl -s -u "${id}:$SECRET" -d grant_type=client_credentials --data-urlencode 'scope=${scope}' \\
  ${origin}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -w '%{http_code}\\n' -H "Authorization: Bearer $TOKEN"${body} ${origin}${path}`;
}

function python({ origin, id, scope, secret, method, path }: SnippetData): string {
  const key = secret === undefined ? `{os.environ['SECRET']}` : secret;
  const data = method === 'POST' ? ', data=b"value", headers={"Content-Type": "text/plain"}' : '';
  return `import base64, json, os, urllib.parse, urllib.request
basic = base64.b64encode(f"${id}:${key}".encode()).decode()
form = urllib.parse.urlencode({"grant_type": "client_credentials", "scope": "${scope}"}).encode()
ask = urllib.request.Request("${origin}/oauth2/token", form, {"Authorization": f"Basic {basic}"})
token = json.load(urllib.request.urlopen(ask))["access_token"]
call = urllib.request.Request("${origin}${path}"${data})
call.add_header("Authorization", f"Bearer {token}")
reply = urllib.request.urlopen(call)
print(reply.status, reply.read().decode())`;
}

function node({ origin, id, scope, secret, method, path }: SnippetData): string {
  const key = secret ?? `\${process.env.SECRET}`;
  const body =
    method === 'POST' ? `, 'Content-Type': 'text/plain' }, method: 'POST', body: 'value' }` : ' } }';
  return `const credentials = Buffer.from(\`${id}:${key}\`).toString('base64');
const grant = new URLSearchParams({ grant_type: 'client_credentials', scope: '${scope}' });
const answer = await fetch('${origin}/oauth2/token', {
  method: 'POST', headers: { Authorization: \`Basic \${credentials}\` }, body: grant });
const { access_token } = await answer.json();
const reply = await fetch('${origin}${path}', {
  headers: { Authorization: \`Bearer \${access_token}\`${body});
console.log(reply.status, await reply.text());`;
}

function java({ origin, id, scope, secret, method, path }: SnippetData): string {
  const key = secret === undefined ? 'System.getenv("SECRET")' : `"${secret}"`;
  const call =
    method === 'POST'
      ? '.header("Content-Type", "text/plain").POST(HttpRequest.BodyPublishers.ofString("value"))'
      : '.GET()';
  return `import java.net.*; import java.net.http.*; import java.util.*;
class Call { public static void main(String[] none) throws Exception {
  var http = HttpClient.newHttpClient();
  var basic = Base64.getEncoder().encodeToString(("${id}:" + ${key}).getBytes());
  var scope = URLEncoder.encode("${scope}", "UTF-8");
  var answer = http.send(HttpRequest.newBuilder(URI.create("${origin}/oauth2/token"))
    .header("Authorization", "Basic " + basic).header("Content-Type", "application/x-www-form-urlencoded")
    .POST(HttpRequest.BodyPublishers.ofString("grant_type=client_credentials&scope=" + scope)).build(),
    HttpResponse.BodyHandlers.ofString()).body();
  var token = answer.replaceAll(".*\\"access_token\\":\\"([^\\"]*)\\".*", "$1");
  var reply = http.send(HttpRequest.newBuilder(URI.create("${origin}${path}"))
    .header("Authorization", "Bearer " + token)${call}.build(), HttpResponse.BodyHandlers.ofString());
  System.out.println(reply.statusCode() + " " + reply.body());
} }`;
}

function go({ origin, id, scope, secret, method, path }: SnippetData): string {
  const key = secret === undefined ? 'os.Getenv("SECRET")' : `"${secret}"`;
  const os = secret === undefined ? '; "os"' : '';
  const body = method === 'POST' ? 'strings.NewReader("value")' : 'nil';
  const type = method === 'POST' ? '\n\tcall.Header.Set("Content-Type", "text/plain")' : '';
  return `package main

import ("encoding/json"; "fmt"; "io"; "net/http"; "net/url"${os}; "strings")

func main() {
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {"${scope}"}}
	ask, _ := http.NewRequest("POST", "${origin}/oauth2/token", strings.NewReader(form.Encode()))
	ask.SetBasicAuth("${id}", ${key})
	ask.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(ask)
	if err != nil { panic(err) }
	var token struct{ AccessToken string \`json:"access_token"\` }
	json.NewDecoder(answer.Body).Decode(&token)
	call, _ := http.NewRequest("${method}", "${origin}${path}", ${body})
	call.Header.Set("Authorization", "Bearer "+token.AccessToken)${type}
	reply, err := http.DefaultClient.Do(call)
	if err != nil { panic(err) }
	text, _ := io.ReadAll(reply.Body)
	fmt.Println(reply.StatusCode, string(text))
}`;
}
