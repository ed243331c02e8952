/** A map by its keys, and one entry. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import { numberIn, type Translate } from '../../texts/text.ts';
import { NumbersPart, type NumbersShown } from '../calls-part.tsx';
import { DetailPage, Done, type Fact, Facts, Id, More, Part } from '../detail.tsx';
import type { FieldError } from '../forms/fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { Live } from '../live/live.tsx';
import type { NotRead } from '../live/not-read.tsx';
import { entryHref, Found, type FoundEntry } from './found-entries.tsx';
import { memberHref } from './members.tsx';
import { type ListedReading, ReadingsPart } from './readings.tsx';
import { CalledKeys, type FormerValue, FormerValues, type OpenedKey, OpenedKeys } from './remembered.tsx';
import { lastCallText, PinButton, type ShownMap, sourcesText, structureHref } from './structures.tsx';
import { GiveFile, GiveValue, type ShownValue, sizeText, Value, type ValueFields } from './value.tsx';

const mapsPath = (t: Translate) => [{ title: t('common.maps'), href: '/cluster/maps' }];

export interface MapModel {
  readonly frame: FrameModel;
  readonly map: ShownMap;
  readonly mayChange: boolean;
  readonly csrf: string;
  /** Of the form that takes keys. */
  readonly idempotencyKey: string;
  /** What the reader has had read by jobs of late. */
  readonly readings: readonly ListedReading[];
  /** Undefined for who may not see them. */
  readonly numbers?: NumbersShown | NotRead | undefined;
  /** Keys of the entries that the reader has opened in this session, the newest first. */
  readonly opened: readonly OpenedKey[];
  /** What was asked for, a line each. */
  readonly keys: string;
  /** Absent before anything was asked for. */
  readonly found?: readonly FoundEntry[] | undefined;
  readonly problem?: string | undefined;
  readonly notice?: string | undefined;
}

export function renderMap(model: MapModel): string {
  return renderDocument(<MapPage {...model} />, model.frame.presentation);
}

function MapPage(model: MapModel) {
  const t = useText();
  const { frame, map, mayChange, notice, problem, keys, found, csrf, idempotencyKey } = model;
  const { readings, opened } = model;
  // Where it was asked for keys the page is not read again by itself: that would read them, and the audit would say so.
  const isLive = model.numbers !== undefined && found === undefined && problem === undefined;
  const href = structureHref('map', map.id);
  return (
    <DetailPage
      frame={frame}
      path={mapsPath(t)}
      title={map.id}
      acts={
        <>
          {isLive && <Live />}
          <PinButton kind="map" structure={map} csrf={csrf} />
        </>
      }
      about={t('maps.foundByKeys')}
      notice={notice}
      problem={problem}
    >
      <Facts
        facts={[
          { name: t('structures.knownFrom'), value: sourcesText(map.sources, t) },
          { name: t('structures.lastCallHere'), value: lastCallText(map.lastCallOn, frame.now, t) },
        ]}
      />
      <Part id="entries" title={t('maps.entries')} about={t('maps.oneKeyOrRange')}>
        <Form action={href} hidden={{ csrf, idempotencyKey, do: 'get' }} class="filters keys">
          <div class="field">
            <label for="keys">{t('maps.keys')}</label>
            <textarea id="keys" name="keys" rows={3} autocapitalize="none" spellcheck={false} required>
              {`\n${keys}`}
            </textarea>
          </div>
          <button type="submit" class="button primary">
            {t('maps.get')}
          </button>
        </Form>
        {found && <Found map={map.id} found={found} />}
      </Part>
      {opened.length > 0 && <OpenedKeys map={map.id} opened={opened} now={frame.now} />}
      {map.calledKeys && <CalledKeys map={map.id} called={map.calledKeys} now={frame.now} />}
      {readings.length > 0 && <ReadingsPart map={map.id} readings={readings} now={frame.now} />}
      {model.numbers && <NumbersPart {...model.numbers} />}
      {mayChange && <More acts={[{ label: t('maps.clearMap'), href: `${href}?do=clear` }]} />}
    </DetailPage>
  );
}

export interface EntryModel {
  readonly frame: FrameModel;
  readonly map: string;
  readonly key: string;
  /** Absent: there is none of this key. */
  readonly value?: ShownValue | undefined;
  /** That answered. */
  readonly member?: string | null | undefined;
  /** That it took to read it; absent where it was not read. */
  readonly durationMs?: number | undefined;
  /** Of what was read. */
  readonly version?: string | undefined;
  readonly typed: ValueFields;
  readonly errors: readonly FieldError[];
  /** Of the form that takes a file. */
  readonly fileErrors: readonly FieldError[];
  /** That a value may have. */
  readonly mostBytes: number;
  readonly csrf: string;
  /** Values that the reader has replaced or removed of late, and can put back. */
  readonly formers: readonly FormerValue[];
  readonly mayPut: boolean;
  readonly mayRemove: boolean;
  readonly notice?: EntryNotice | undefined;
  readonly warning?: string | undefined;
}

/** What was done, and the value that was there before, to put it back. */
export interface EntryNotice {
  readonly text: string;
  readonly former?: { readonly value: string; readonly type: string | null } | undefined;
  /** There was none before. */
  readonly isFirst?: boolean;
}

export function renderMapEntry(model: EntryModel): string {
  return renderDocument(<EntryPage {...model} />, model.frame.presentation);
}

function EntryPage(model: EntryModel) {
  const t = useText();
  const { frame, map, key, value, notice, mayRemove } = model;
  const href = entryHref(map, key);
  return (
    <DetailPage
      frame={frame}
      path={[...mapsPath(t), { title: map, href: structureHref('map', map) }]}
      title={key}
      about={value === undefined ? t('maps.noEntryOfKey') : undefined}
      notice={notice && <PutBack {...model} notice={notice} />}
      problem={nothingStored(model, t)}
    >
      {value && (
        <>
          <Facts
            facts={[
              { name: t('maps.key'), value: <Id>{key}</Id> },
              { name: t('maps.type'), value: <bdi>{value.type ?? t('maps.noType')}</bdi> },
              { name: t('maps.size'), value: sizeText(value.bytes, t) },
              { name: t('maps.answeredBy'), value: <Answering member={model.member} /> },
              ...timeTaken(model, t),
            ]}
          />
          <Part id="stored" title={t('common.value')}>
            <Value {...value} href={href} />
          </Part>
        </>
      )}
      {model.formers.length > 0 && <FormerValues {...model} />}
      {model.mayPut && <Put {...model} />}
      {model.mayPut && <PutFile {...model} />}
      {mayRemove && value && <More acts={[{ label: t('maps.remove'), href: `${href}?do=remove` }]} />}
    </DetailPage>
  );
}

/** Why stands beside the form, further down; of a former value there is no form. */
function nothingStored({ errors, fileErrors }: EntryModel, t: Translate) {
  const [first] = [...errors, ...fileErrors];
  if (first === undefined) return undefined;
  return (
    <>
      {t('maps.nothingStored')}{' '}
      <a href={fileErrors.length > 0 ? '#put-file' : '#put'}>{t('frame.seeBelow')}</a>
    </>
  );
}

function timeTaken({ durationMs }: Pick<EntryModel, 'durationMs'>, t: Translate): readonly Fact[] {
  if (durationMs === undefined) return [];
  return [{ name: t('maps.timeTaken'), value: `${numberIn(t.language, durationMs)} ms` }];
}

function Answering({ member }: Pick<EntryModel, 'member'>) {
  const t = useText();
  if (!member) return <>{t('members.unknown')}</>;
  return (
    <a href={memberHref(member)}>
      <bdi>{member}</bdi>
    </a>
  );
}

function Put({ map, key, value, version, typed, errors, csrf }: EntryModel) {
  const t = useText();
  const isTooLong = value && !value.isWhole;
  return (
    <Part
      id="put"
      title={value ? t('maps.putAnother') : t('maps.putAValue')}
      about={[t('maps.storedWhileSame'), ...(isTooLong ? [t('maps.tooLongToEdit')] : [])].join(' ')}
    >
      <GiveValue
        action={entryHref(map, key)}
        hidden={{ csrf, do: 'put', ...(version !== undefined && { version }) }}
        typed={typed}
        errors={errors}
        button={t('maps.put')}
      />
    </Part>
  );
}

function PutFile({ map, key, value, version, fileErrors, mostBytes, csrf }: EntryModel) {
  const t = useText();
  return (
    <Part
      id="put-file"
      title={t('values.file')}
      about={t('values.fileAbout', { size: sizeText(mostBytes, t) })}
    >
      <GiveFile
        action={`${entryHref(map, key)}/value`}
        hidden={{ csrf, ...(version !== undefined && { version }) }}
        type={value?.type ?? ''}
        errors={fileErrors}
      />
    </Part>
  );
}

function PutBack({
  map,
  key,
  version,
  csrf,
  notice,
  mayRemove,
}: EntryModel & { readonly notice: EntryNotice }) {
  const t = useText();
  const { text, former, isFirst = false } = notice;
  const takingBack = isFirst && mayRemove ? 'remove' : undefined;
  const hidden = {
    csrf,
    ...(version !== undefined && { version }),
    ...(former && { value: former.value, encoding: 'base64', type: former.type ?? '' }),
  };
  return (
    <Done
      text={text}
      undo={former ? 'put' : takingBack}
      label={former && t('maps.putBack')}
      // It is good for as long as the entry stays as it is.
      isForLong={former !== undefined}
      action={entryHref(map, key)}
      hidden={hidden}
    />
  );
}
