/** Items that were taken out of a queue into a file: how far that is, and the file. */
import { renderDocument, renderPart } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import { numberIn, type Translate } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { Facts, Id, More, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { Table } from '../lists/table.tsx';
import { isRunning, JobState, type ShownJob, Starter } from '../observe/jobs/job-parts.tsx';
import { type StructureJobModel, StructureJobPage } from './structure-job.tsx';
import { drainHref, structureHref } from './structures.tsx';
import { sizeText } from './value.tsx';

/** As the admin API has it. */
export interface ShownDrain
  extends Pick<
    ShownJob,
    'id' | 'state' | 'problem' | 'createdAt' | 'endedAt' | 'startedBy' | 'starterName' | 'starterWords'
  > {
  readonly queue: string;
  readonly items: number;
  readonly total: number | null;
  readonly bytes: number | null;
  readonly storedUntil: string | null;
}

interface DrainsPartProps {
  readonly queue: string;
  readonly drains: readonly ShownDrain[];
  readonly now: Date;
}

export function DrainsPart({ queue, drains, now }: DrainsPartProps) {
  const t = useText();
  return (
    <Part id="drains" title={t('drains.files')} about={t('drains.filesAbout')}>
      <Table
        title={t('drains.files')}
        columns={[
          { title: t('jobs.began') },
          { title: t('common.state') },
          { title: t('drains.taken'), isNumber: true },
          { title: t('drains.storedUntil') },
        ]}
        rows={drains.map((drain) => ({
          key: drain.id,
          cells: [
            <a key="began" href={drainHref(queue, drain.id)}>
              <Ago at={new Date(drain.createdAt)} now={now} />
            </a>,
            <JobState key="state" {...drain} />,
            takenText(drain, t),
            <StoredUntil key="until" {...drain} now={now} />,
          ],
        }))}
      />
    </Part>
  );
}

function StoredUntil({ storedUntil, now }: Pick<ShownDrain, 'storedUntil'> & { readonly now: Date }) {
  const t = useText();
  return <Ago at={dateOf(storedUntil)} now={now} never={t('drains.notStored')} />;
}

function takenText({ items, total, ...drain }: ShownDrain, t: Translate): string {
  const number = numberIn(t.language, items);
  if (total === null || !isRunning(drain)) return number;
  return t('drains.ofTotal', { items: number, total });
}

export interface DrainModel extends StructureJobModel {
  readonly drain: ShownDrain;
  readonly mayStop: boolean;
  readonly mayRemove: boolean;
}

export function renderDrain(model: DrainModel): string {
  return renderDocument(<Drain {...model} />, model.frame.presentation);
}

function Drain(model: DrainModel) {
  const t = useText();
  const { drain } = model;
  return (
    <StructureJobPage
      {...model}
      path={[
        { title: t('common.queues'), href: '/cluster/queues' },
        { title: drain.queue, href: structureHref('queue', drain.queue) },
      ]}
      title={t('drains.ofQueue', { queue: drain.queue })}
      job={drain}
      href={drainHref(drain.queue, drain.id)}
    >
      <DrainParts {...model} />
    </StructureJobPage>
  );
}

type DrainPartsModel = Pick<DrainModel, 'drain' | 'mayRemove'> & {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
};

/** What goes on while the page is open. */
export function drainParts(model: DrainPartsModel): Readonly<Record<string, string>> {
  return { drain: renderPart(<DrainParts {...model} />, model.frame.presentation) };
}

function DrainParts(model: DrainPartsModel) {
  const t = useText();
  const { drain, mayRemove } = model;
  const href = drainHref(drain.queue, drain.id);
  const hasFile = !isRunning(drain) && drain.storedUntil !== null;
  return (
    <div id="drain" class="parts">
      <p class="lede">{aboutOf(drain, t)}</p>
      {hasFile && (
        <div class="actions">
          <a class="button primary" href={`${href}/items`}>
            {t('drains.fetch')}
          </a>
        </div>
      )}
      <DrainFacts {...model} />
      {mayRemove && drain.storedUntil !== null && (
        <More acts={[{ label: t('drains.remove'), href: `${href}?do=remove` }]} />
      )}
    </div>
  );
}

function aboutOf(drain: ShownDrain, t: Translate): string {
  if (isRunning(drain)) return t('drains.isTaking');
  return drain.storedUntil === null ? t('drains.noFile') : t('drains.about');
}

function DrainFacts({ drain, frame: { now } }: DrainPartsModel) {
  const t = useText();
  return (
    <Facts
      facts={[
        { name: t('jobs.job'), value: <Id>{drain.id}</Id> },
        { name: t('common.state'), value: <JobState {...drain} /> },
        { name: t('drains.taken'), value: takenText(drain, t) },
        ...(drain.bytes === null ? [] : [{ name: t('drains.size'), value: sizeText(drain.bytes, t) }]),
        { name: t('drains.storedUntil'), value: <StoredUntil {...drain} now={now} /> },
        { name: t('jobs.begunBy'), value: <Starter {...drain} /> },
        { name: t('jobs.began'), value: <Ago at={new Date(drain.createdAt)} now={now} /> },
        {
          name: t('jobs.ended'),
          value: <Ago at={dateOf(drain.endedAt)} now={now} never={t('jobs.notYet')} />,
        },
      ]}
    />
  );
}
