/** How one member is, in words and figures, and what of its page goes on while that is open. */
import { renderPart } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import { numberIn, type Translate, type WordKey } from '../../texts/text.ts';
import { type NumbersShown, numbersParts } from '../calls-part.tsx';
import { type Fact, Facts, Id } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import type { LiveParts, NotRead } from '../live/not-read.tsx';
import { State, type StateKind } from '../state.tsx';

/** As the admin API has it. */
export interface ShownMember {
  readonly id: string;
  readonly address: string;
  readonly uuid: string | null;
  readonly version: string | null;
  readonly kind: 'data' | 'lite' | null;
  readonly health: 'ready' | 'notReady' | 'silent' | 'unreachable' | null;
  readonly circuit: 'closed' | 'halfOpen' | 'open' | null;
  readonly state: 'in' | 'out' | 'unknown';
  readonly reason: string | null;
  readonly isDrained: boolean;
  readonly inFlight: number | null;
  /** Of the calls of the last minute; null without calls. */
  readonly p99Ms: number | null;
  /** The same: of these, those that failed. */
  readonly failedShare: number | null;
  readonly groups: Readonly<Record<string, boolean>>;
}

export interface MemberPartsModel {
  readonly frame: Pick<FrameModel, 'presentation'>;
  readonly member: ShownMember;
  /** Undefined for who may not see them. */
  readonly numbers?: NumbersShown | NotRead | undefined;
}

/** What goes on while the page is open. */
export function memberParts({ frame, member, numbers }: MemberPartsModel): LiveParts {
  const part = (element: Parameters<typeof renderPart>[0]) => renderPart(element, frame.presentation);
  return {
    'member-state': part(<LiveState {...member} />),
    facts: part(<MemberFacts {...member} />),
    ...numbersParts(frame, numbers),
  };
}

/** On the page of the member, where it follows it. */
export function LiveState(member: ShownMember) {
  return (
    <span id="member-state" class="parts">
      <MemberState {...member} />
    </span>
  );
}

export function MemberFacts(member: ShownMember) {
  return (
    <div id="facts" class="parts">
      <Facts facts={factsOf(member, useText())} />
    </div>
  );
}

/** In a word, whether it gets calls. */
export function memberState(
  { state, circuit, isDrained }: Pick<ShownMember, 'state' | 'circuit' | 'isDrained'>,
  t: Translate,
): {
  readonly kind: StateKind;
  readonly word: string;
} {
  if (isDrained) return { kind: 'off', word: t('members.drained') };
  if (state === 'unknown') return { kind: 'unknown', word: t('members.notAskedYet') };
  if (state === 'out' || circuit === 'open') return { kind: 'danger', word: t('members.getsNoCalls') };
  return circuit === 'halfOpen'
    ? { kind: 'warn', word: t('members.onTrial') }
    : { kind: 'ok', word: t('members.takesCalls') };
}

export function memberKind({ kind }: Pick<ShownMember, 'kind'>, t: Translate): string {
  if (kind === null) return t('members.unknown');
  return kind === 'lite' ? t('members.lite') : t('members.data');
}

export function MemberState(member: Pick<ShownMember, 'state' | 'circuit' | 'isDrained'>) {
  const { kind, word } = memberState(member, useText());
  return <State kind={kind}>{word}</State>;
}

export function inFlightIn({ inFlight }: Pick<ShownMember, 'inFlight'>, t: Translate): string {
  return inFlight === null ? t('members.unknown') : numberIn(t.language, inFlight);
}

export function latencyIn({ p99Ms }: Pick<ShownMember, 'p99Ms'>, t: Translate): string {
  if (p99Ms === null) return '-';
  return `${numberIn(t.language, p99Ms, { maximumSignificantDigits: 2 })} ms`;
}

export function errorsIn({ failedShare }: Pick<ShownMember, 'failedShare'>, t: Translate): string {
  if (failedShare === null) return '-';
  return `${numberIn(t.language, failedShare * 100, { maximumSignificantDigits: 2 })} %`;
}

function factsOf(member: ShownMember, t: Translate): readonly Fact[] {
  const { address, uuid, version, health } = member;
  return [
    { name: t('members.address'), value: <Id>{address}</Id> },
    { name: 'UUID', value: uuid === null ? t('members.unknown') : <Id>{uuid}</Id> },
    { name: t('members.kind'), value: memberKind(member, t) },
    { name: t('common.version'), value: version ?? t('members.unknown') },
    { name: t('members.lastProbe'), value: t(healthWords[health ?? 'none']) },
    { name: t('members.circuit'), value: t(circuitWords[member.circuit ?? 'none']) },
    { name: t('members.inFlightCalls'), value: inFlightIn(member, t) },
    {
      name: t('members.latencyOfMinute'),
      value: member.p99Ms === null ? t('members.noCalls') : latencyIn(member, t),
    },
    { name: t('members.errorsOfMinute'), value: errorsIn(member, t) },
  ];
}

const circuitWords: Readonly<Record<NonNullable<ShownMember['circuit']> | 'none', WordKey>> = {
  closed: 'members.circuitClosed',
  halfOpen: 'members.circuitHalfOpen',
  open: 'members.circuitOpen',
  none: 'members.unknown',
};

const healthWords: Readonly<Record<NonNullable<ShownMember['health']> | 'none', WordKey>> = {
  ready: 'members.ready',
  notReady: 'members.notReady',
  silent: 'members.silent',
  unreachable: 'members.unreachable',
  none: 'members.wasNotAskedYet',
};
