/** The steps of a sign-in by a SAML provider, as far as they go without a person. */
import { ProblemError } from '../../../platform/errors.ts';
import { FederationError } from '../connector.ts';
import { createDryRun, type DryRun, type DryRunDeps, type DryStep } from '../dry-run.ts';
import { callbackAddress, samlDeps, samlEntityId } from '../providers/connectors.ts';
import { fetchMetadata } from '../providers/input-deps.ts';
import type { SamlProvider } from '../providers/schema.ts';
import { viewOfCertificate } from '../providers/view.ts';
import { createSamlConnector } from './connector.ts';
import { readProviderMetadata } from './metadata.ts';

const soonMs = 30 * 86_400_000;

export async function dryRunSaml(provider: SamlProvider, deps: DryRunDeps): Promise<readonly DryStep[]> {
  const run = createDryRun();
  await compareMetadata(provider, deps, run);
  const { entityId, signOnUrl, signOnBinding, certificates } = provider.saml.metadata;
  run.ok('entity id', entityId);
  run.ok('sign-on address', `${signOnUrl} (${signOnBinding === 'post' ? 'HTTP-POST' : 'HTTP-Redirect'})`);
  for (const certificate of certificates) reportCertificate(certificate, deps, run);
  await tryRequest(provider, deps, run);
  return run.steps;
}

/** What is pinned stays in force until it is read anew; here it is only compared. */
async function compareMetadata({ id, saml }: SamlProvider, deps: DryRunDeps, run: DryRun): Promise<void> {
  const { metadata: pinned, metadataUrl, metadataCertificate } = saml;
  if (metadataUrl === undefined) {
    run.ok('metadata', 'handed in as a file; nothing to compare it with');
    return;
  }
  try {
    const text = await fetchMetadata(deps.outbound, metadataUrl);
    const today = await readProviderMetadata(text, deps.now(), metadataCertificate);
    const trust = metadataCertificate === undefined ? '' : ', signed as it has to be';
    run.ok('metadata', `read from ${metadataUrl}${trust}`);
    const differs = (['entityId', 'signOnUrl', 'certificates'] as const).filter(
      (name) => JSON.stringify(today[name]) !== JSON.stringify(pinned[name]),
    );
    if (differs.length === 0)
      run.ok('metadata as pinned', 'entity id, sign-on address and certificates are the same');
    else {
      run.failed(
        'metadata as pinned',
        `the provider has changed: ${differs.join(', ')}`,
        `Ask its administrator whether that is meant; then npx console idp update ${id} --metadata-url ${metadataUrl}`,
      );
    }
  } catch (error) {
    if (!(error instanceof FederationError || error instanceof ProblemError)) throw error;
    run.failed('metadata', error.message, 'Check --metadata-url, and that this machine reaches it.');
  }
}

/** What is pinned is the key: its certificate's date keeps nobody out, but tells that a new one is near. */
function reportCertificate(pem: string, { now }: DryRunDeps, run: DryRun): void {
  const { subject, validTo, sha256 } = viewOfCertificate(pem);
  const left = Date.parse(validTo) - now();
  const advice =
    left > soonMs
      ? undefined
      : `It ${left > 0 ? 'ends' : 'ended'} at ${validTo}: the provider may sign with a new key, which idp update has to read.`;
  run.ok('certificate', `${subject || 'without a name'}, until ${validTo}, SHA-256 ${sha256}`, advice);
}

async function tryRequest(provider: SamlProvider, deps: DryRunDeps, run: DryRun): Promise<void> {
  const callbackUrl = callbackAddress(deps.url, provider.id);
  const stateId = deps.randomBytes(18).toString('base64url');
  try {
    const connector = createSamlConnector(samlDeps(provider, deps));
    await connector.begin({ stateId, callbackUrl, reauthenticate: false });
    const { signing } = provider.saml;
    run.ok(
      'request',
      signing ? 'signed by RSA-SHA-256' : 'unsigned',
      `The provider has to know ${samlEntityId(deps.url, provider.id)}, which is this console’s metadata too, and answer to ${callbackUrl}.`,
    );
  } catch (error) {
    if (!(error instanceof FederationError)) throw error;
    run.failed('request', error.message, 'Read the metadata anew with npx console idp update.');
  }
}
