/**
 * What goes on in the list of members while it is open: cell by cell, so that no row moves, and nothing of the forms of one
 * reader is sent to all.
 */
import type { VNode } from 'preact';
import { renderPart } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import type { FrameModel } from '../frame.tsx';
import { errorsIn, inFlightIn, latencyIn, MemberState, type ShownMember } from './member-state.tsx';

export interface MembersPartsModel {
  readonly frame: Pick<FrameModel, 'presentation'>;
  readonly members: readonly ShownMember[];
  /** Their rows have a button for that. */
  readonly mayDrain: boolean;
}

export function membersParts({ frame, ...list }: MembersPartsModel): Readonly<Record<string, string>> {
  const parts: [string, VNode][] = list.members.flatMap((member) => [
    [idOf('state', member), <StateCell key="state" {...member} />],
    [idOf('in-flight', member), <InFlightCell key="in-flight" {...member} />],
    [idOf('latency', member), <LatencyCell key="latency" {...member} />],
    [idOf('errors', member), <ErrorsCell key="errors" {...member} />],
  ]);
  parts.push([rowsId, <RowsShown key="rows" {...list} />]);
  return Object.fromEntries(parts.map(([id, part]) => [id, renderPart(part, frame.presentation)]));
}

const rowsId = 'rows-shown';

/** Rows that come, go, or get another button need the page anew: its script takes care of that. */
export function RowsShown({ members, mayDrain }: Omit<MembersPartsModel, 'frame'>) {
  const rows = members.map(({ id, isDrained }) => (mayDrain && isDrained ? `${id} drained` : id));
  return <span id={rowsId} hidden data-part="" data-anew={rows.join(', ')} />;
}

export function StateCell(member: ShownMember) {
  return (
    <span id={idOf('state', member)} data-part="">
      <MemberState {...member} />
    </span>
  );
}

export function InFlightCell(member: ShownMember) {
  return (
    <span id={idOf('in-flight', member)} data-part="">
      {inFlightIn(member, useText())}
    </span>
  );
}

export function LatencyCell(member: ShownMember) {
  return (
    <span id={idOf('latency', member)} data-part="">
      {latencyIn(member, useText())}
    </span>
  );
}

export function ErrorsCell(member: ShownMember) {
  return (
    <span id={idOf('errors', member)} data-part="">
      {errorsIn(member, useText())}
    </span>
  );
}

function idOf(cell: string, { id }: Pick<ShownMember, 'id'>): string {
  return `${cell}-${id}`;
}
