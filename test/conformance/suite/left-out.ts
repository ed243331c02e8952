/**
 * Mobile documents (ISO 18013-5) are left out of the build: the library for them is not published where Maven looks,
 * and nothing that an OpenID provider or relying party is tested by uses it. Each class that does becomes one that throws
 * when it is called.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const documents = /org\.multipaz|com\.android\.identity/;
const unsupported = '{ throw new UnsupportedOperationException("mobile documents are left out"); }';
const json = 'com.google.gson.JsonObject';
const environment = 'net.openid.conformance.testmodule.Environment';
const evaluate = `@Override public ${environment} evaluate(${environment} env) ${unsupported}`;

/** Members that other classes name; a class that is not here is a step of a test and nothing else. */
const members: Readonly<Record<string, readonly string[]>> = {
  AbstractVCIBatchStatusReferenceCheck: [
    'protected record StatusRef(String uri, long idx, int credentialIndex) { }',
    `protected java.util.List<StatusRef> extractStatusReferences(${environment} env) ${unsupported}`,
  ],
  AbstractVCICredentialTimeClaimsCheck: [
    `protected com.google.gson.JsonArray capturesList(${environment} env) ${unsupported}`,
    `protected java.util.Map<String, Long> timestamps(${json} capture, String format) ${unsupported}`,
    `protected byte[] mdocBytes(${json} capture) ${unsupported}`,
    `protected boolean getBoolean(${json} o, String key) ${unsupported}`,
  ],
  AbstractCreateVP1FinalIsoMdocRedirectSessionTranscript: [
    `protected void calculateSessionTranscript(${environment} env, ${json} key, String clientId, String nonce, String responseUri) ${unsupported}`,
  ],
  AbstractIso18013Part7AnnexBMdocSessionTranscript: [
    `public void createSessionTranscript(${environment} env, String clientId, String responseUri, String nonce, String mdocNonce) ${unsupported}`,
  ],
  EnsureMdocMdlMandatoryDataElementsPresent: [
    'public static final java.util.Set<String> MANDATORY_ELEMENTS = java.util.Set.of();',
    evaluate,
  ],
  CreateMdocCredentialForVCI: [
    evaluate,
    `protected java.util.List<String> resolveJwks(${environment} env) ${unsupported}`,
  ],
  MdocUtil: [
    `public static ${json} extractDeviceKeyJwk(byte[] issuerSigned) throws MdocParseException ${unsupported}`,
    `public static class MdocParseException extends Exception {
      public MdocParseException(String message) { super(message); }
      public MdocParseException(String message, Throwable cause) { super(message, cause); }
    }`,
  ],
};

/** @param sources  the suite's, changed in place */
export function leaveDocumentsOut(sources: string): void {
  const java = join(sources, 'src/main/java');
  for (const file of readdirSync(java, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.java')) continue;
    const text = readFileSync(join(java, file), 'utf8');
    if (documents.test(text)) writeFileSync(join(java, file), hollowed(basename(file, '.java'), text));
  }
  rmSync(join(sources, 'src/main/kotlin'), { recursive: true, force: true });
}

function hollowed(name: string, text: string): string {
  const packageLine = /^package .*;$/m.exec(text)![0];
  const [head, parent] = new RegExp(`^public [\\w ]*class ${name}(?: extends (\\w+))?`, 'm').exec(text)!;
  // Of another package; one of the same needs none.
  const parentLine = new RegExp(`^import [\\w.]+\\.${parent};$`, 'm').exec(text)?.[0] ?? '';
  const body = (members[name] ?? [evaluate]).join('\n  ');
  return `${packageLine}\n${parentLine}\n${head} {\n  ${body}\n}\n`;
}
