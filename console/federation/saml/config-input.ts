/** What an administrator says of a SAML provider: its metadata, mostly. */
import { X509Certificate } from 'node:crypto';
import { defined } from '../../../platform/defined.ts';
import { Secret } from '../../../platform/secret.ts';
import { ProviderInputError } from '../errors.ts';
import type { ProviderInputDeps } from '../providers/input.ts';
import type { ProviderInput } from '../providers/input-schema.ts';
import type { SamlSettings } from '../providers/schema.ts';

export async function readSaml(
  id: string,
  input: ProviderInput,
  deps: ProviderInputDeps,
  before: SamlSettings | undefined,
): Promise<SamlSettings> {
  const { called, newSigning, renewsKeys } = deps;
  const document = await readDocument(input, deps, before);
  const nameIdFormat = input.nameIdFormat ?? before?.nameIdFormat;
  const formats = document.metadata.nameIdFormats;
  if (input.nameIdFormat !== undefined && formats.length > 0 && !formats.includes(input.nameIdFormat)) {
    throw new ProviderInputError(
      `${called('nameIdFormat')} is none of those that the provider offers: ${formats.join(', ')}.`,
    );
  }
  const newPair = () => newSigning(id);
  return defined({
    ...document,
    nameIdFormat,
    subjectAttribute: input.subjectAttribute ?? before?.subjectAttribute,
    signing: await readPair(input.signRequests, before?.signing, { newPair, renewsKeys }),
    encryption: await readPair(input.encryptedAssertions, before?.encryption, { newPair, renewsKeys }),
  });
}

type Document = Pick<SamlSettings, 'metadata' | 'metadataUrl' | 'metadataCertificate'>;

/** Read once: what it says is shown, then pinned. Whoever signs it may be pinned as well, for later ones. */
async function readDocument(
  input: ProviderInput,
  deps: ProviderInputDeps,
  before: SamlSettings | undefined,
): Promise<Document> {
  const { metadata, metadataUrl } = input;
  const { called, fetchMetadata, readMetadata } = deps;
  if (metadata !== undefined && metadataUrl !== undefined) {
    throw new ProviderInputError(`${called('metadataUrl')} and ${called('metadata')} do not go together.`);
  }
  if (metadata !== undefined) {
    if (input.metadataCertificate !== undefined) throw wantsAddress(called);
    return { metadata: await readMetadata(metadata) };
  }
  const address = metadataUrl ?? before?.metadataUrl;
  const certificate = readCertificate(input, called) ?? before?.metadataCertificate;
  if (certificate !== undefined && address === undefined) throw wantsAddress(called);
  // A certificate that is new has to fit what is there today, or nothing would ever be fetched under it.
  if (address !== undefined && (metadataUrl !== undefined || input.metadataCertificate !== undefined)) {
    const text = await fetchMetadata(address);
    const read = await readMetadata(text, certificate);
    return defined({ metadata: read, metadataUrl: address, metadataCertificate: certificate });
  }
  if (!before) {
    throw new ProviderInputError(
      `The metadata of the provider are missing: give ${called('metadataUrl')} or ${called('metadata')}.`,
    );
  }
  return defined({ metadata: before.metadata, metadataUrl: address, metadataCertificate: certificate });
}

function readCertificate(
  { metadataCertificate }: ProviderInput,
  called: ProviderInputDeps['called'],
): string | undefined {
  if (metadataCertificate === undefined) return undefined;
  try {
    return new X509Certificate(metadataCertificate).toString();
  } catch (cause) {
    throw new ProviderInputError(`${called('metadataCertificate')} is no certificate (PEM).`, { cause });
  }
}

function wantsAddress(called: ProviderInputDeps['called']): ProviderInputError {
  return new ProviderInputError(
    `${called('metadataCertificate')} goes with ${called('metadataUrl')}: it is for metadata that are fetched again.`,
  );
}

interface Pairs {
  readonly newPair: () => Promise<{ readonly key: string; readonly certificate: string }>;
  readonly renewsKeys: boolean;
}

/** With a new key, the provider has to be given the new certificate. */
async function readPair(
  isWanted: boolean | undefined,
  before: SamlSettings['signing'],
  { newPair, renewsKeys }: Pairs,
): Promise<SamlSettings['signing']> {
  if (isWanted === undefined) return before;
  if (!isWanted) return undefined;
  if (before && !renewsKeys) return before;
  const { key, certificate } = await newPair();
  return { key: new Secret(key), certificate };
}
