/** One queue: how many items are in it, what is offered, and what is taken away. */

import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { CallsPart, type CallsShown } from '../calls-part.tsx';
import { Code } from '../code.tsx';
import { DetailPage, Facts, Part } from '../detail.tsx';
import type { FieldError } from '../fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { lastCallText, type ShownStructure, sourcesText, structureHref } from './structures.tsx';
import { GiveValue, type ShownValue, sizeText, type ValueFields } from './value.tsx';

export interface ShownQueue extends ShownStructure {
  readonly size: number;
}

/** What was taken out of the queue: it is nowhere else any more. */
export interface TakenItem extends Pick<ShownValue, 'type' | 'bytes' | 'text' | 'isCut'> {
  /** In base64. */
  readonly value: string;
}

export interface QueueModel {
  readonly frame: FrameModel;
  readonly queue: ShownQueue;
  readonly typed: ValueFields;
  readonly errors: readonly FieldError[];
  readonly csrf: string;
  /** Of the form that offers: sent twice, it offers once. */
  readonly idempotencyKey: string;
  /** Undefined for who may not see them. */
  readonly calls?: CallsShown | undefined;
  readonly mayOffer: boolean;
  readonly mayTake: boolean;
  readonly notice?: string | undefined;
  readonly taken?: readonly TakenItem[] | undefined;
  /** All that was taken, as a file. */
  readonly file?: string | undefined;
}

export function renderQueue(model: QueueModel): string {
  const { frame, queue, notice, errors, taken, file, mayOffer, mayTake, csrf, typed } = model;
  const href = structureHref('queue', queue.id);
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[{ title: 'Queues', href: '/cluster/queues' }]}
      title={queue.id}
      about={`${new Intl.NumberFormat('en').format(queue.size)} ${queue.size === 1 ? 'item is' : 'items are'} in it now.`}
      notice={notice}
      problem={errors.length > 0 ? 'Nothing was offered.' : undefined}
    >
      {taken && taken.length > 0 && <Taken {...model} taken={taken} />}
      {file !== undefined && <TakenFile file={file} />}
      <Facts
        facts={[
          { name: 'Items', value: new Intl.NumberFormat('en').format(queue.size) },
          { name: 'Known from', value: sourcesText(queue.sources) },
          {
            name: 'Last call through the console',
            value: lastCallText(queue.lastCallOn, frame.now),
          },
        ]}
      />
      {model.calls && <CallsPart {...model.calls} />}
      {mayOffer && (
        <Part id="offer" title="Offer an item" about="It goes to the end of the queue.">
          <GiveValue
            action={href}
            hidden={{ csrf, do: 'offer', idempotencyKey: model.idempotencyKey }}
            typed={typed}
            errors={errors}
            button="Offer"
          />
        </Part>
      )}
      {mayTake && (
        <Part
          id="more"
          title="Take items away"
          about="There is no look at an item that leaves it in the queue. Each asks first."
        >
          <div class="actions">
            <a class="button danger" href={`${href}?do=poll`}>
              Poll
            </a>
            <a class="button danger" href={`${href}?do=drain`}>
              Drain
            </a>
          </div>
        </Part>
      )}
    </DetailPage>,
  );
}

function TakenFile({ file }: { readonly file: string }) {
  return (
    <Part id="file" title="All of them" about="A line each, in JSON: copy it before you leave this page.">
      <Code>{file}</Code>
    </Part>
  );
}

function Taken({
  queue,
  taken,
  csrf,
  mayOffer,
  idempotencyKey,
}: QueueModel & { readonly taken: readonly TakenItem[] }) {
  return (
    <Part
      id="taken"
      title={taken.length === 1 ? 'The item that was taken' : `${taken.length} items that were taken`}
      about="The queue has them no more, and nobody else has had them. They stay on this page alone."
    >
      {taken.map(({ type, bytes, text, isCut, value }, at) => (
        <div key={at} class="taken">
          <p class="muted">
            <bdi>{type ?? 'No type'}</bdi>, {sizeText(bytes)}
            {isCut && ': its first 64 KB'}
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
                Offer again, at the end
              </button>
            </Form>
          )}
        </div>
      ))}
    </Part>
  );
}
