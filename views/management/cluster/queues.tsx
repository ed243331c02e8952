/** One queue: how many items are in it, what is offered, and what is taken away. */

import { Form } from '../../elements/form.tsx';
import { renderDocument, renderPart } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import { numberIn } from '../../texts/text.ts';
import { NumbersPart, type NumbersShown, numbersParts } from '../calls-part.tsx';
import { Code } from '../code.tsx';
import { DetailPage, Facts, Part } from '../detail.tsx';
import type { FieldError } from '../forms/fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { Live } from '../live/live.tsx';
import { type LiveParts, type NotRead, NotReadText } from '../live/not-read.tsx';
import { DrainsPart, type ShownDrain } from './drains.tsx';
import { lastCallText, PinButton, type ShownStructure, sourcesText, structureHref } from './structures.tsx';
import { GiveValue, type ShownValue, sizeText, type ValueFields } from './value.tsx';

export interface ShownQueue extends ShownStructure {
  readonly size: number;
}

/** Its size may not be had while no member answers. */
export interface KnownQueue extends ShownStructure {
  readonly size: number | NotRead;
}

export function isCounted(queue: KnownQueue): queue is ShownQueue {
  return typeof queue.size === 'number';
}

/** What was taken out of the queue: it is nowhere else any more. */
export interface TakenItem extends Pick<ShownValue, 'type' | 'bytes' | 'text' | 'isCut'> {
  /** In base64. */
  readonly value: string;
}

export interface QueueModel {
  readonly frame: FrameModel;
  readonly queue: KnownQueue;
  readonly typed: ValueFields;
  readonly errors: readonly FieldError[];
  readonly csrf: string;
  /** Of the form that offers: sent twice, it offers once. */
  readonly idempotencyKey: string;
  /** Undefined for who may not see them. */
  readonly numbers?: NumbersShown | NotRead | undefined;
  readonly mayOffer: boolean;
  readonly mayTake: boolean;
  readonly notice?: string | undefined;
  readonly taken?: readonly TakenItem[] | undefined;
  /** Newest first; none before anything was taken into a file. */
  readonly drains: readonly ShownDrain[];
}

export function renderQueue(model: QueueModel): string {
  return renderDocument(<Queue {...model} />, model.frame.presentation);
}

function Queue(model: QueueModel) {
  const t = useText();
  const { frame, queue, notice, errors, taken, drains, mayOffer, mayTake, csrf, typed } = model;
  const href = structureHref('queue', queue.id);
  // What was taken is on this page alone, which is not loaded again.
  const isLive = taken === undefined && errors.length === 0;
  return (
    <DetailPage
      frame={frame}
      path={[{ title: t('common.queues'), href: '/cluster/queues' }]}
      title={queue.id}
      about={isCounted(queue) ? <InIt size={queue.size} /> : undefined}
      acts={
        <>
          {isLive && <Live />}
          <PinButton kind="queue" structure={queue} csrf={csrf} />
        </>
      }
      notice={notice}
      problem={errors.length > 0 && <NothingOffered />}
    >
      {taken && taken.length > 0 && <Taken {...model} taken={taken} />}
      <Facts
        facts={[
          { name: t('queues.items'), value: <Size size={queue.size} /> },
          { name: t('structures.knownFrom'), value: sourcesText(queue.sources, t) },
          { name: t('structures.lastCallHere'), value: lastCallText(queue.lastCallOn, frame.now, t) },
        ]}
      />
      {drains.length > 0 && <DrainsPart queue={queue.id} drains={drains} now={frame.now} />}
      {model.numbers && <NumbersPart {...model.numbers} />}
      {mayOffer && (
        <Part id="offer" title={t('queues.offerAnItem')} about={t('queues.toTheEnd')}>
          <GiveValue
            action={href}
            hidden={{ csrf, do: 'offer', idempotencyKey: model.idempotencyKey }}
            typed={typed}
            errors={errors}
            button={t('queues.offer')}
          />
        </Part>
      )}
      {mayTake && (
        <Part id="more" title={t('queues.takeAway')} about={t('queues.noLook')}>
          <div class="actions">
            <a class="button danger" href={`${href}?do=poll`}>
              {t('queues.poll')}
            </a>
            <a class="button danger" href={`${href}?do=drain`}>
              {t('drains.button')}
            </a>
          </div>
        </Part>
      )}
    </DetailPage>
  );
}

interface QueuePartsModel extends Pick<QueueModel, 'numbers'> {
  readonly frame: Pick<FrameModel, 'presentation'>;
  /** Undefined: no member has said it. */
  readonly size: number | undefined;
}

/** What goes on while the page is open. Nothing of it is about one reader, as the pins of the facts are. */
export function queueParts({ frame, size, numbers }: QueuePartsModel): LiveParts {
  const { presentation } = frame;
  return {
    ...(size !== undefined && {
      'items-in-it': renderPart(<InIt size={size} />, presentation),
      items: renderPart(<Size size={size} />, presentation),
    }),
    ...numbersParts(frame, numbers),
  };
}

function InIt({ size }: Pick<ShownQueue, 'size'>) {
  const t = useText();
  return (
    <span id="items-in-it" data-part="">
      {t('queues.itemsInIt', { n: size })}
    </span>
  );
}

function Size({ size }: Pick<KnownQueue, 'size'>) {
  const { language } = useText();
  return (
    <span id="items" data-part="">
      {typeof size === 'number' ? numberIn(language, size) : <NotReadText {...size} />}
    </span>
  );
}

/** Why stands beside the form, further down. */
function NothingOffered() {
  const t = useText();
  return (
    <>
      {t('queues.nothingOffered')} <a href="#offer">{t('frame.seeBelow')}</a>
    </>
  );
}

function Taken({
  queue,
  taken,
  csrf,
  mayOffer,
  idempotencyKey,
}: QueueModel & { readonly taken: readonly TakenItem[] }) {
  const t = useText();
  return (
    <Part
      id="taken"
      title={t('queues.taken', { n: taken.length })}
      about={t('queues.onThisPageAlone', { n: taken.length })}
    >
      {taken.map(({ type, bytes, text, isCut, value }, at) => (
        <div key={at} class="taken">
          <p class="muted">
            <bdi>{type ?? t('queues.noType')}</bdi>, {sizeText(bytes, t)}
            {isCut && t('queues.firstOfIt')}
          </p>
          <Code>{text}</Code>
          {mayOffer && (
            <Form
              action={structureHref('queue', queue.id)}
              hidden={{
                csrf,
                do: 'offer',
                idempotencyKey: `${idempotencyKey}-${at}`,
                value,
                encoding: 'base64',
                type: type ?? '',
              }}
            >
              <button type="submit" class="button small">
                {t('queues.offerAgain')}
              </button>
            </Form>
          )}
        </div>
      ))}
    </Part>
  );
}
