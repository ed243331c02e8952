/** Identity providers: where people's accounts come from besides this console. */
import { renderDocument } from '../../../layout.tsx';
import { useText } from '../../../texts/elements.tsx';
import { Ago, dateOf } from '../../ago.tsx';
import type { FiltersModel } from '../../filters.tsx';
import { ListPage, type ListState } from '../../list.tsx';
import { NameCell } from '../../name-cell.tsx';
import { CertificateEnd } from './certificates.tsx';
import { MetadataProblem, MetadataRead } from './metadata-age.tsx';
import { providerHref } from './provider-form.tsx';
import { Failure, kindOf, LinkedUsers, ProviderState, type ShownProvider } from './provider-parts.tsx';

export interface ProvidersModel extends ListState {
  readonly providers: readonly ShownProvider[];
  readonly filters: FiltersModel;
}

export function renderProviders(model: ProvidersModel): string {
  return renderDocument(<Providers {...model} />, model.frame.presentation);
}

function Providers({ providers, ...list }: ProvidersModel) {
  const t = useText();
  const { now } = list.frame;
  return (
    <ListPage
      {...list}
      title={t('common.identityProviders')}
      about={t('providers.about')}
      columns={[
        { title: t('common.name'), sortBy: 'name' },
        { title: t('access.kind') },
        { title: t('common.state') },
        { title: t('providers.order'), isNumber: true, sortBy: 'position' },
        { title: t('common.users'), isNumber: true, sortBy: 'linkedUsers' },
        { title: t('common.lastSignIn'), sortBy: 'lastSignInAt' },
        { title: t('providers.lastFailure') },
      ]}
      rows={providers.map((provider) => ({
        key: provider.id,
        cells: [
          <NameCell
            key="name"
            id={provider.id}
            displayName={provider.name === provider.id ? null : provider.name}
            href={providerHref(provider.id)}
          />,
          <span key="kind" class="states">
            {kindOf(provider, t)}
            <MetadataRead provider={provider} now={now} />
          </span>,
          <span key="state" class="states">
            <ProviderState {...provider} />
            <CertificateEnd provider={provider} now={now} />
            <MetadataProblem {...provider} />
          </span>,
          provider.position === null ? '-' : String(provider.position),
          <LinkedUsers key="users" {...provider} />,
          <Ago key="last" at={dateOf(provider.lastSignInAt)} now={now} />,
          provider.lastFailure === null ? (
            <span key="failed" class="muted">
              {t('providers.noFailure')}
            </span>
          ) : (
            <Failure key="failed" {...provider.lastFailure} now={now} />
          ),
        ],
      }))}
      empty={<p>{t('providers.noneYet')}</p>}
    />
  );
}
