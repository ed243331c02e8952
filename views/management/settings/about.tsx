/** What runs here: release, store, backups, and under which terms. */

import { renderDocument } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import { Ago, dateOf } from '../ago.tsx';
import { DetailPage, type Fact, Facts, Id, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { Table } from '../lists/table.tsx';

/** As the admin API has it. */
export interface ShownInstallation {
  readonly id: string | null;
  readonly version: string;
  readonly nodeVersion: string;
  readonly platform: string;
  readonly workers: number;
  readonly startedAt: string | null;
  readonly store: { readonly engine: string; readonly format: number; readonly registryFormat: number };
  readonly libraries: readonly ShownLibrary[];
}

interface ShownLibrary {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** The same, of the dashboard. */
export interface ShownLicence {
  readonly id: string;
  readonly holder: string;
  readonly edition: string;
  readonly expiresAt: string | null;
}

export interface AboutModel {
  readonly frame: FrameModel;
  readonly installation: ShownInstallation;
  /** The newest one; null: there is none; undefined: the reader may not see. */
  readonly backup?: { readonly createdAt: string } | null | undefined;
  /** The same. */
  readonly licence?: ShownLicence | null | undefined;
}

export const aboutHref = '/settings/about';

export function renderAbout(model: AboutModel): string {
  return renderDocument(<About {...model} />, model.frame.presentation);
}

function About(model: AboutModel) {
  const t = useText();
  const { frame, installation } = model;
  return (
    <DetailPage frame={frame} path={[]} title={t('common.about')} about={t('about.whatRunsHereNothing')}>
      <Facts facts={[...programFacts(frame, installation), ...storeFacts(model)]} />
      <Libraries {...installation} />
    </DetailPage>
  );
}

function programFacts(frame: FrameModel, installation: ShownInstallation): readonly Fact[] {
  const t = useText();
  const { id, version, nodeVersion, platform, workers, startedAt } = installation;
  return [
    { name: t('about.installation'), value: id === null ? t('about.notStartedYet') : <Id>{id}</Id> },
    { name: t('common.version'), value: version },
    { name: 'Node.js', value: `${nodeVersion}, ${platform}` },
    { name: t('about.processes'), value: workers },
    {
      name: t('common.started'),
      value: <Ago at={dateOf(startedAt)} now={frame.now} never={t('about.notRunning')} />,
    },
  ];
}

function storeFacts({ frame, installation: { store }, backup, licence }: AboutModel): readonly Fact[] {
  const t = useText();
  const { engine, format, registryFormat } = store;
  return [
    { name: t('about.store'), value: t('about.formatRegistryFormat', { engine, format, registryFormat }) },
    ...(backup === undefined
      ? []
      : [
          {
            name: t('about.lastBackup'),
            value: <Ago at={dateOf(backup?.createdAt ?? null)} now={frame.now} never={t('common.noneYet')} />,
          },
        ]),
    ...(licence === undefined
      ? []
      : [{ name: t('about.licenceDashboard'), value: <Licence {...licence} /> }]),
  ];
}

function Licence({ id, holder, edition, expiresAt }: Partial<ShownLicence>) {
  const t = useText();
  if (id === undefined) return <span class="muted">{t('common.none')}</span>;
  const end = expiresAt ? t('about.until', { expiresAt: expiresAt.slice(0, 10) }) : t('about.withoutEnd');
  return (
    <>
      <bdi>{id}</bdi>: <bdi>{edition}</bdi>, <bdi>{holder}</bdi>, {end}
    </>
  );
}

function Libraries({ libraries }: ShownInstallation) {
  const t = useText();
  return (
    <Part
      id="libraries"
      title={t('about.libraries')}
      about={
        libraries.length === 0
          ? t('about.consoleRunsFromIts')
          : t('about.codeOfLibraries', { n: libraries.length })
      }
    >
      {libraries.length > 0 && (
        <Table
          title={t('about.libraries')}
          columns={[
            { title: t('about.library') },
            { title: t('common.version') },
            { title: t('about.licence') },
          ]}
          rows={libraries.map(({ name, version, licence }) => ({
            key: `${name} ${version}`,
            cells: [<bdi key="name">{name}</bdi>, version, licence],
          }))}
        />
      )}
    </Part>
  );
}
