/** What has been changed of one thing, by whom and when, each with what puts it back. */
import { exactText } from '../../elements/moment.ts';
import { usePresentation } from '../../presentation.ts';
import { useText } from '../../texts/elements.tsx';
import type { WordKey } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { Table } from '../lists/table.tsx';
import { isNotRead, type NotRead, NotReadText } from '../live/not-read.tsx';
import { RowLink } from '../row-act.tsx';
import { type Change, type ChangedField, changedFields, nothing } from './changed-fields.ts';
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
  /** The newest first. */
  readonly changes: readonly HistoryChange[] | NotRead;
}

interface HistoryProps extends HistoryModel {
  /** Address of the thing. */
  readonly href: string;
  readonly now: Date;
}

export function History({ allHref, changes, href, now }: HistoryProps) {
  const t = useText();
  const { zone } = usePresentation();
  return (
    <Part id="history" title={t('history.title')} acts={<a href={allHref}>{t('history.allInAuditLog')}</a>}>
      {isNotRead(changes) ? (
        <p class="empty">
          <NotReadText {...changes} />
        </p>
      ) : changes.length === 0 ? (
        <p class="empty">{t('history.noChange')}</p>
      ) : (
        <Table
          title={t('history.title')}
          columns={[
            { title: t('history.when') },
            { title: t('history.who') },
            { title: t('history.what') },
            { title: t('access.act') },
          ]}
          rows={changes.map((change) => ({
            key: change.id,
            cells: [
              <a key="when" href={`/observe/audit/${encodeURIComponent(change.id)}`}>
                <Ago at={new Date(change.createdAt)} now={now} />
              </a>,
              <Who key="who" actor={change.actor} event={change.event} />,
              <What key="what" {...change} />,
              change.isPutBack ? (
                <RowLink
                  key="act"
                  label={t('history.putBack')}
                  of={exactText(new Date(change.createdAt), zone)}
                  href={`${href}?${new URLSearchParams({ do: 'put-back', entry: change.id })}`}
                />
              ) : null,
            ],
          }))}
        />
      )}
    </Part>
  );
}

const mostFields = 6;

/** What a change is called that is not one of fields alone; another one by its event. */
const words: Readonly<Record<string, WordKey>> = {
  enabled: 'access.enabled',
  disabled: 'access.disabled',
  invited: 'users.invited',
  removed: 'history.removed',
  refreshed: 'history.refreshed',
  sessions_ended: 'history.sessionsEnded',
  password_reset: 'history.passwordReset',
  secret_added: 'history.secretAdded',
  secret_removed: 'history.secretRemoved',
  secret_superseded: 'history.secretSuperseded',
};

/** Of what was added, that it was: each of its values would be a line. */
function What({ event, change }: HistoryChange) {
  const fields = changedFields(change);
  const t = useText();
  const name = event.slice(event.indexOf('.') + 1);
  if (name === 'added') return t('access.added');
  const key = words[name];
  const word = name.replaceAll('_', ' ');
  return (
    <>
      {name !== 'updated' && (key ? t(key) : `${word.charAt(0).toUpperCase()}${word.slice(1)}`)}
      <ul class="changes">
        {fields.slice(0, mostFields).map((field) => (
          <li key={field.name}>
            <Changed {...field} />
          </li>
        ))}
        {fields.length > mostFields && <li>{t('history.andMore', { n: fields.length - mostFields })}</li>}
      </ul>
    </>
  );
}

const fieldWords: Readonly<Record<string, WordKey>> = {
  displayName: 'common.name',
  email: 'field.email',
  roles: 'common.roles',
  status: 'access.status',
};

/** Of a set what came and what went, with a sign; a dash before a word reads as if it were gone. */
function Changed({ name, before, after, isSet }: ChangedField) {
  const t = useText();
  const word = fieldWords[name];
  const title = <span class="muted">{word ? t(word) : name}</span>;
  if (!isSet) {
    return (
      <>
        {title} <del>{before}</del> <ins>{after}</ins>
      </>
    );
  }
  return (
    <>
      {title} {before !== nothing && <del>− {before}</del>} {after !== nothing && <ins>+ {after}</ins>}
    </>
  );
}
