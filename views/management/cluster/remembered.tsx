/** What the console remembers of a person's own work on a map: keys that they have opened, and values that they have replaced. */

import { Form } from '../../elements/form.tsx';
import { exactText } from '../../elements/moment.ts';
import { usePresentation } from '../../presentation.ts';
import { useText } from '../../texts/elements.tsx';
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListId } from '../list-id.tsx';
import { Table } from '../lists/table.tsx';
import { entryHref } from './found-entries.tsx';
import { sizeText } from './value.tsx';

export interface OpenedKey {
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface OpenedKeysProps {
  readonly map: string;
  readonly opened: readonly OpenedKey[];
  readonly now: Date;
}

/** On the page of the map. */
export function OpenedKeys({ map, opened, now }: OpenedKeysProps) {
  const t = useText();
  return (
    <Part id="opened-keys" title={t('maps.openedKeys')} about={t('maps.openedKeysAbout')}>
      <Keys
        title={t('maps.openedKeys')}
        when={t('maps.opened')}
        map={map}
        keys={opened.map(({ key, at }) => ({ id: key, at: new Date(at) }))}
        now={now}
      />
    </Part>
  );
}

interface CalledKeysProps {
  readonly map: string;
  readonly called: readonly { readonly id: string; readonly lastCallAt: string }[];
  readonly now: Date;
}

/** The same, where a setting keeps them. */
export function CalledKeys({ map, called, now }: CalledKeysProps) {
  const t = useText();
  return (
    <Part id="called-keys" title={t('maps.calledKeys')} about={t('maps.calledKeysAbout')}>
      {called.length === 0 ? (
        <p class="muted">{t('maps.noCalledKeys')}</p>
      ) : (
        <Keys
          title={t('maps.calledKeys')}
          when={t('structures.lastCall')}
          map={map}
          keys={called.map(({ id, lastCallAt }) => ({ id, at: new Date(lastCallAt) }))}
          now={now}
        />
      )}
    </Part>
  );
}

interface KeysProps {
  readonly title: string;
  readonly when: string;
  readonly map: string;
  readonly keys: readonly { readonly id: string; readonly at: Date }[];
  readonly now: Date;
}

function Keys({ title, when, map, keys, now }: KeysProps) {
  const t = useText();
  return (
    <Table
      title={title}
      columns={[{ title: t('maps.key') }, { title: when }]}
      rows={keys.map(({ id, at }) => ({
        key: id,
        cells: [
          <a key="key" href={entryHref(map, id)}>
            <ListId>{id}</ListId>
          </a>,
          <Ago key="at" at={at} now={now} />,
        ],
      }))}
    />
  );
}

export interface FormerValue {
  readonly id: string;
  readonly type: string | null;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly replacedAt: number;
}

interface FormerValuesProps {
  readonly frame: Pick<FrameModel, 'now'>;
  readonly map: string;
  readonly key: string;
  readonly formers: readonly FormerValue[];
  /** Of what is there now; absent: there is no entry. */
  readonly version?: string | undefined;
  readonly csrf: string;
}

/** On the page of the entry. */
export function FormerValues({ frame: { now }, map, key, formers, version, csrf }: FormerValuesProps) {
  const t = useText();
  const { zone } = usePresentation();
  return (
    <Part id="former-values" title={t('maps.formerValues')} about={t('maps.formerValuesAbout')}>
      <Table
        title={t('maps.formerValues')}
        columns={[
          { title: t('maps.replaced') },
          { title: t('maps.type') },
          { title: t('maps.size'), isNumber: true },
        ]}
        rows={formers.map(({ id, type, bytes, replacedAt }) => ({
          key: id,
          cells: [
            <Ago key="replaced" at={new Date(replacedAt)} now={now} />,
            <bdi key="type">{type ?? t('maps.noType')}</bdi>,
            sizeText(bytes, t),
          ],
          act: (
            <Form
              action={entryHref(map, key)}
              hidden={{ csrf, do: 'put-back', former: id, ...(version !== undefined && { version }) }}
            >
              <button
                type="submit"
                class="button"
                aria-label={t('frame.rowActOf', {
                  act: t('maps.putBack'),
                  of: exactText(new Date(replacedAt), zone),
                })}
              >
                {t('maps.putBack')}
              </button>
            </Form>
          ),
        }))}
      />
    </Part>
  );
}
