/** What an administrator says of a SAML provider: its metadata, mostly. */
import { Secret } from '../../secret.ts';
import { type ProviderInput, type ProviderInputDeps, ProviderInputError } from './input.ts';
import type { SamlSettings } from './schema.ts';

export async function readSaml(
  id: string,
  input: ProviderInput,
  deps: ProviderInputDeps,
  before: SamlSettings | undefined,
): Promise<SamlSettings> {
  const { called } = deps;
  const document = await readDocument(input, deps, before);
  const nameIdFormat = input.nameIdFormat ?? before?.nameIdFormat;
  const formats = document.metadata.nameIdFormats;
  if (input.nameIdFormat !== undefined && formats.length > 0 && !formats.includes(input.nameIdFormat)) {
    throw new ProviderInputError(
      `${called('nameIdFormat')} is none of those that the provider offers: ${formats.join(', ')}.`,
    );
  }
  const signing = await readSigning(id, input, deps, before);
  return {
    ...document,
    ...(nameIdFormat === undefined ? {} : { nameIdFormat }),
    ...(signing && { signing }),
  };
}

/** Read once: what it says is shown, then pinned. */
async function readDocument(
  { metadata, metadataUrl }: ProviderInput,
  { called, fetchMetadata, readMetadata }: ProviderInputDeps,
  before: SamlSettings | undefined,
): Promise<Pick<SamlSettings, 'metadata' | 'metadataUrl'>> {
  if (metadata !== undefined && metadataUrl !== undefined) {
    throw new ProviderInputError(`${called('metadataUrl')} and ${called('metadata')} do not go together.`);
  }
  if (metadataUrl !== undefined) {
    return { metadata: await readMetadata(await fetchMetadata(metadataUrl)), metadataUrl };
  }
  if (metadata !== undefined) return { metadata: await readMetadata(metadata) };
  if (!before) {
    throw new ProviderInputError(
      `The metadata of the provider are missing: give ${called('metadataUrl')} or ${called('metadata')}.`,
    );
  }
  const { metadata: known, metadataUrl: from } = before;
  return { metadata: known, ...(from === undefined ? {} : { metadataUrl: from }) };
}

/** Asked for again, it is a new key: the provider has to be given the new certificate. */
async function readSigning(
  id: string,
  { signRequests }: ProviderInput,
  { newSigning }: ProviderInputDeps,
  before: SamlSettings | undefined,
): Promise<SamlSettings['signing']> {
  if (signRequests === undefined) return before?.signing;
  if (!signRequests) return undefined;
  const { key, certificate } = await newSigning(id);
  return { key: new Secret(key), certificate };
}
