/** What runs here: release, store, backups, and under which terms. */
import { renderDocument } from '../../layout.tsx';
import { Ago, dateOf } from '../ago.tsx';
import { DetailPage, type Fact, Facts, Id, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { Table } from '../list.tsx';

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
  const { frame, installation } = model;
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[]}
      title="About"
      about="What runs here. Nothing on this page is secret: it helps whoever is asked for help."
    >
      <Facts facts={[...programFacts(frame, installation), ...storeFacts(model)]} />
      <Libraries {...installation} />
    </DetailPage>,
  );
}

function programFacts(frame: FrameModel, installation: ShownInstallation): readonly Fact[] {
  const { id, version, nodeVersion, platform, workers, startedAt } = installation;
  return [
    { name: 'Installation', value: id === null ? 'Not started yet' : <Id>{id}</Id> },
    { name: 'Version', value: version },
    { name: 'Node.js', value: `${nodeVersion}, ${platform}` },
    { name: 'Processes', value: workers },
    { name: 'Started', value: <Ago at={dateOf(startedAt)} now={frame.now} never="Not running" /> },
  ];
}

function storeFacts({ frame, installation: { store }, backup, licence }: AboutModel): readonly Fact[] {
  const { engine, format, registryFormat } = store;
  return [
    { name: 'Store', value: `${engine}, format ${format}; registry, format ${registryFormat}` },
    ...(backup === undefined
      ? []
      : [
          {
            name: 'Last backup',
            value: <Ago at={dateOf(backup?.createdAt ?? null)} now={frame.now} never="None yet" />,
          },
        ]),
    ...(licence === undefined ? [] : [{ name: 'Licence of the dashboard', value: <Licence {...licence} /> }]),
  ];
}

function Licence({ id, holder, edition, expiresAt }: Partial<ShownLicence>) {
  if (id === undefined) return <span class="muted">None</span>;
  const end = expiresAt ? `until ${expiresAt.slice(0, 10)}` : 'without end';
  return (
    <>
      <bdi>{id}</bdi>: <bdi>{edition}</bdi>, <bdi>{holder}</bdi>, {end}
    </>
  );
}

function Libraries({ libraries }: ShownInstallation) {
  return (
    <Part
      id="libraries"
      title="Libraries"
      about={
        libraries.length === 0
          ? 'This console runs from its sources: what it uses stands in package.json.'
          : `Code of these ${libraries.length} is in the programs. Their terms in full stand in dist/THIRD-PARTY-NOTICES.txt of the installation.`
      }
    >
      {libraries.length > 0 && (
        <Table
          title="Libraries"
          columns={[{ title: 'Library' }, { title: 'Version' }, { title: 'Licence' }]}
          rows={libraries.map(({ name, version, licence }) => ({
            key: `${name} ${version}`,
            cells: [<bdi key="name">{name}</bdi>, version, licence],
          }))}
        />
      )}
    </Part>
  );
}
