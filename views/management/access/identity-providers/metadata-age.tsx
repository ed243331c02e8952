/** When what a provider publishes of itself was last read, and why it could not be read again. */
import { Said, Text, useText } from '../../../texts/elements.tsx';
import type { Translate } from '../../../texts/text.ts';
import { Ago, dateOf } from '../../ago.tsx';
import type { Fact } from '../../detail.tsx';
import { State } from '../../state.tsx';
import type { ShownProvider } from './provider-parts.tsx';

interface MetadataReadProps {
  readonly provider: ShownProvider;
  readonly now: Date;
}

/** For a row of the list: nothing for what publishes nothing, or was not read yet. */
export function MetadataRead({ provider: { metadataReadAt }, now }: MetadataReadProps) {
  if (metadataReadAt === null) return null;
  return (
    <span class="muted">
      <Text id="providers.metadataRead" gaps={{ when: <Ago at={new Date(metadataReadAt)} now={now} /> }} />
    </span>
  );
}

/** For a row of the list. */
export function MetadataProblem({ enabled, metadataFailure }: ShownProvider) {
  const t = useText();
  if (!enabled || metadataFailure === null) return null;
  return <State kind="warn">{t('providers.metadataCannotBeRead')}</State>;
}

/** For the page: metadata and key set, by the names that their protocol has for them. */
export function documentFacts(provider: ShownProvider, now: Date, t: Translate): readonly Fact[] {
  const { kind, settings, keysReadAt } = provider;
  if (kind === 'saml')
    return [{ name: t('providers.metadata'), value: <SamlMetadata {...{ provider, now }} /> }];
  if (kind !== 'oidc') return [];
  const keys = { name: t('providers.keySet'), value: <Read at={keysReadAt} now={now} /> };
  if (settings?.endpoints) return [keys];
  return [{ name: t('providers.discovery'), value: <Read at={provider.metadataReadAt} now={now} /> }, keys];
}

interface ReadProps {
  readonly at: string | null;
  readonly now: Date;
}

function Read({ at, now }: ReadProps) {
  const t = useText();
  if (at === null) return <span class="muted">{t('providers.notReadYet')}</span>;
  return <Text id="providers.readAt" gaps={{ when: <Ago at={dateOf(at)} now={now} /> }} />;
}

function SamlMetadata({ provider, now }: MetadataReadProps) {
  const t = useText();
  const { metadataReadAt, metadataFailure, settings } = provider;
  const isFetchedAgain = Boolean(settings?.metadataCertificate);
  return (
    <>
      {metadataReadAt !== null && <Read at={metadataReadAt} now={now} />}{' '}
      {metadataFailure === null ? (
        <span class="muted">{t(isFetchedAgain ? 'providers.readEachHour' : 'providers.notReadAgain')}</span>
      ) : (
        <Text
          id="providers.notReadBecause"
          gaps={{
            when: <Ago at={new Date(metadataFailure.at)} now={now} />,
            why: (
              <bdi>
                <Said>{metadataFailure.reason}</Said>
              </bdi>
            ),
          }}
        />
      )}
    </>
  );
}
