/** One thing: what it is in a sentence, its facts, and parts of which each is changed by itself. */

import type { ComponentChildren } from 'preact';
import { Form } from '../elements/form.tsx';
import { Notice, Problem } from '../message.tsx';
import { useText } from '../texts/elements.tsx';
import type { Translate } from '../texts/text.ts';
import { type Crumb, type FrameModel, ManagementPage } from './frame.tsx';
import { UndoButton } from './undo.tsx';

interface DetailPageProps {
  readonly frame: FrameModel;
  readonly path: readonly Crumb[];
  readonly title: string;
  readonly state?: ComponentChildren;
  readonly acts?: ComponentChildren;
  /** What it is and does, in one sentence. */
  readonly about?: ComponentChildren;
  readonly notice?: ComponentChildren;
  readonly problem?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function DetailPage({ about, notice, problem, children, ...head }: DetailPageProps) {
  return (
    <ManagementPage {...head} hasProblem={Boolean(problem)}>
      {about && <p class="lede">{about}</p>}
      {problem && <Problem id="problem">{problem}</Problem>}
      {notice && <Notice>{notice}</Notice>}
      {children}
    </ManagementPage>
  );
}

export interface DoneNotice {
  readonly text: string;
  /** The act that takes it back. */
  readonly undo?: string | undefined;
  /** What its form says besides. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

interface DoneProps extends DoneNotice {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  /** On the button. */
  readonly label?: string | undefined;
  /** It stands as long as the page does. */
  readonly isForLong?: boolean;
}

/** What has just been done, with what takes it back. */
export function Done({ text, undo, fields, action, hidden, ...button }: DoneProps) {
  return (
    <>
      {text}
      {undo !== undefined && (
        <UndoButton action={action} hidden={{ ...hidden, ...fields, do: undo }} {...button} />
      )}
    </>
  );
}

interface PartProps {
  /** Unique on the page; a link can point at it. */
  readonly id: string;
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly acts?: ComponentChildren;
  /** Id of the part to which it belongs: two of these may have parts of one name. */
  readonly within?: string;
  readonly children: ComponentChildren;
}

export function Part({ id, title, about, acts, within, children }: PartProps) {
  const Heading = within === undefined ? 'h2' : 'h3';
  const names = [...(within === undefined ? [] : [within]), id].map((part) => `${part}-title`);
  return (
    <section class="part" id={id} aria-labelledby={names.join(' ')}>
      <div class="part-head">
        <Heading id={`${id}-title`}>{title}</Heading>
        {acts && <div class="actions">{acts}</div>}
      </div>
      {about && <p class="muted">{about}</p>}
      {children}
    </section>
  );
}

/** Has a page of its own that asks. */
interface AskingAct {
  readonly label: string;
  readonly href: string;
  /** Nothing is lost by it for good. */
  readonly isMild?: boolean;
}

/** What can be undone, and so asks nothing: its form. */
interface ActAtOnce {
  readonly label: string;
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
}

export type MoreAct = AskingAct | ActAtOnce;

/** What is at the end of a page because it takes something away. */
export function More({ acts }: { readonly acts: readonly MoreAct[] }) {
  const t = useText();
  return (
    <Part id="more" title={t('common.more')} about={whichAsk(acts, t)}>
      <div class="actions">
        {acts.map((act) =>
          isAtOnce(act) ? (
            <Form key={act.label} action={act.action} hidden={act.hidden}>
              <button type="submit" class="button">
                {act.label}
              </button>
            </Form>
          ) : (
            <a key={act.label} class={act.isMild ? 'button' : 'button danger'} href={act.href}>
              {act.label}
            </a>
          ),
        )}
      </div>
    </Part>
  );
}

function isAtOnce(act: MoreAct): act is ActAtOnce {
  return 'action' in act;
}

function whichAsk(acts: readonly MoreAct[], t: Translate): string {
  const atOnce = acts.find(isAtOnce);
  const asking = acts.filter((act) => !isAtOnce(act));
  if (asking.length === 0) return t('frame.itCanBeUndone');
  if (atOnce) return t('frame.othersAskFirst', { n: asking.length, act: atOnce.label });
  return asking.length === 1 ? t('frame.itAsksFirst') : t('frame.eachAsksFirst');
}

export interface Fact {
  readonly name: string;
  readonly value: ComponentChildren;
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts boxed">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** An id, which is picked up whole. */
export function Id({ children }: { readonly children: string }) {
  return (
    <bdi class="code select-all" translate={false}>
      {children}
    </bdi>
  );
}
