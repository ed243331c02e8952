/** Entries of many keys, read by a job: how far that is, and what was found. */
import { renderDocument, renderPart } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import { saidIn, type Translate } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { type Fact, Facts, Id, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { Table } from '../lists/table.tsx';
import { isRunning, JobState, Progress, type ShownJob, timeLeft } from '../observe/jobs/job-parts.tsx';
import { Found } from './found-entries.tsx';
import { type StructureJobModel, StructureJobPage } from './structure-job.tsx';
import { readingHref, structureHref } from './structures.tsx';

/** As the admin API has it. */
export interface ListedReading
  extends Pick<ShownJob, 'id' | 'state' | 'problem' | 'createdAt' | 'startedAt' | 'updatedAt' | 'endedAt'> {
  readonly map: string;
  readonly keys: number;
  readonly read: number;
  readonly storedUntil: string | null;
}

export interface ShownReading extends ListedReading {
  readonly entries: readonly ReadEntry[];
}

export interface ReadEntry {
  readonly id: string;
  readonly type: string | null;
  readonly bytes: number | null;
  readonly problem: { readonly code: string; readonly detail: string } | null;
}

interface ReadingsPartProps {
  readonly map: string;
  readonly readings: readonly ListedReading[];
  readonly now: Date;
}

/** On the page of the map. */
export function ReadingsPart({ map, readings, now }: ReadingsPartProps) {
  const t = useText();
  return (
    <Part id="readings" title={t('readings.title')} about={t('readings.about')}>
      <Table
        title={t('readings.title')}
        columns={[
          { title: t('readings.asked') },
          { title: t('common.state') },
          { title: t('readings.read'), isNumber: true },
          { title: t('readings.storedUntil') },
        ]}
        rows={readings.map((reading) => ({
          key: reading.id,
          cells: [
            <a key="asked" href={readingHref(map, reading.id)}>
              <Ago at={new Date(reading.createdAt)} now={now} />
            </a>,
            <JobState key="state" {...reading} />,
            readText(reading, t),
            <Ago key="until" at={dateOf(reading.storedUntil)} now={now} never={t('readings.notStored')} />,
          ],
        }))}
      />
    </Part>
  );
}

function readText({ read, keys }: ListedReading, t: Translate): string {
  return t('jobs.doneOf', { done: read, total: keys });
}

export interface ReadingModel extends StructureJobModel {
  readonly reading: ShownReading;
}

export function renderReading(model: ReadingModel): string {
  return renderDocument(<Reading {...model} />, model.frame.presentation);
}

function Reading(model: ReadingModel) {
  const t = useText();
  const { reading } = model;
  return (
    <StructureJobPage
      {...model}
      path={[
        { title: t('common.maps'), href: '/cluster/maps' },
        { title: reading.map, href: structureHref('map', reading.map) },
      ]}
      title={t('readings.ofMap', { map: reading.map })}
      job={reading}
      href={readingHref(reading.map, reading.id)}
      mayStop
    >
      <ReadingParts {...model} />
    </StructureJobPage>
  );
}

type ReadingPartsModel = Pick<ReadingModel, 'reading'> & {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
};

/** What goes on while the page is open. */
export function readingParts(model: ReadingPartsModel): Readonly<Record<string, string>> {
  return { reading: renderPart(<ReadingParts {...model} />, model.frame.presentation) };
}

function ReadingParts({ reading, frame: { now } }: ReadingPartsModel) {
  const t = useText();
  const { read, keys, entries, map } = reading;
  return (
    <div id="reading" class="parts">
      <p class="lede">{aboutOf(reading, t)}</p>
      {isRunning(reading) && (
        <Progress progress={{ done: read, total: keys, step: read === 0 ? 'waiting' : 'reading entries' }} />
      )}
      <Facts facts={factsOf(reading, now, t)} />
      {entries.length > 0 && (
        <Part id="entries" title={t('maps.entries')}>
          <Found
            map={map}
            found={entries.map(({ id, type, bytes, problem }) => ({
              key: id,
              type,
              bytes,
              ...(problem && { problem: saidIn(t.language, problem.detail) ?? problem.detail }),
            }))}
          />
        </Part>
      )}
    </div>
  );
}

function aboutOf(reading: ShownReading, t: Translate): string {
  const { entries, keys, storedUntil } = reading;
  if (storedUntil === null) return t('readings.gone');
  if (isRunning(reading)) return t('readings.isReading');
  const failed = entries.filter(({ problem }) => problem !== null).length;
  const found = entries.filter(({ bytes }) => bytes !== null).length;
  const unread = keys - entries.length;
  return [
    t('readings.found', { n: found }),
    t('readings.missing', { n: entries.length - found - failed }),
    ...(failed > 0 ? [t('readings.failed', { n: failed })] : []),
    ...(unread > 0 ? [t('readings.unread', { n: unread })] : []),
  ].join(' ');
}

function factsOf(reading: ShownReading, now: Date, t: Translate): readonly Fact[] {
  const { id, state, entries, createdAt, endedAt, storedUntil, read, keys } = reading;
  const failed = entries.filter(({ problem }) => problem !== null).length;
  return [
    { name: t('jobs.job'), value: <Id>{id}</Id> },
    { name: t('common.state'), value: <JobState state={state} result={{ failed }} /> },
    { name: t('readings.read'), value: readText(reading, t) },
    ...(isRunning(reading)
      ? [
          {
            name: t('jobs.timeLeft'),
            value: timeLeft({ ...reading, progress: { done: read, total: keys } }, now, t),
          },
        ]
      : []),
    { name: t('jobs.askedFor'), value: <Ago at={new Date(createdAt)} now={now} /> },
    { name: t('jobs.ended'), value: <Ago at={dateOf(endedAt)} now={now} never={t('jobs.notYet')} /> },
    {
      name: t('readings.storedUntil'),
      value: <Ago at={dateOf(storedUntil)} now={now} never={t('readings.notStored')} />,
    },
  ];
}
