/** What has been changed of one thing, by whom and when, each with what puts it back. */
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { Table } from '../list.tsx';
import { type Change, changedFields } from './changed-fields.ts';
import { type Actor, Who } from './named.tsx';

export interface HistoryChange {
  readonly id: string;
  readonly createdAt: string;
  readonly event: string;
  readonly actor: Actor | null;
  readonly change: Change;
  /** Something would be another than it is now, and the reader may do it. */
  readonly isPutBack: boolean;
}

export interface HistoryModel {
  /** All that the audit has of the thing. */
  readonly allHref: string;
  /** The newest first; undefined while the audit cannot be read. */
  readonly changes: readonly HistoryChange[] | undefined;
}

interface HistoryProps extends HistoryModel {
  /** Address of the thing. */
  readonly href: string;
  readonly now: Date;
}

export function History({ allHref, changes, href, now }: HistoryProps) {
  return (
    <Part id="history" title="History" acts={<a href={allHref}>All in the audit log</a>}>
      {changes === undefined ? (
        <p class="empty">The audit cannot be read at this moment.</p>
      ) : changes.length === 0 ? (
        <p class="empty">No change is in the audit.</p>
      ) : (
        <Table
          title="History"
          columns={[{ title: 'When' }, { title: 'Who' }, { title: 'What' }, { title: 'Act' }]}
          rows={changes.map((change) => ({
            key: change.id,
            cells: [
              <a key="when" href={`/observe/audit/${encodeURIComponent(change.id)}`}>
                <Ago at={new Date(change.createdAt)} now={now} />
              </a>,
              <Who key="who" actor={change.actor} />,
              <What key="what" {...change} />,
              change.isPutBack ? (
                <a key="act" href={`${href}?${new URLSearchParams({ do: 'put-back', entry: change.id })}`}>
                  Put back
                </a>
              ) : null,
            ],
          }))}
        />
      )}
    </Part>
  );
}

const mostFields = 6;

/** Of what was added, that it was: each of its values would be a line. */
function What({ event, change }: HistoryChange) {
  const fields = changedFields(change);
  const word = event.slice(event.indexOf('.') + 1).replaceAll('_', ' ');
  if (event.endsWith('.added')) return <>Added</>;
  return (
    <>
      {word !== 'updated' && `${word.charAt(0).toUpperCase()}${word.slice(1)}`}
      <ul class="changes">
        {fields.slice(0, mostFields).map(({ name, before, after }) => (
          <li key={name}>
            <span class="muted">{name}</span> <del>{before}</del> <ins>{after}</ins>
          </li>
        ))}
        {fields.length > mostFields && <li>and {fields.length - mostFields} more</li>}
      </ul>
    </>
  );
}
