/** The settings as they are in force: read here, and changed where they are set. */

import { renderDocument } from '../../layout.tsx';
import { Said, useText } from '../../texts/elements.tsx';
import type { FiltersModel } from '../filters.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { isNotRead, type NotRead, NotReadPart } from '../live/not-read.tsx';
import { State } from '../state.tsx';
import {
  ConfigurationFiles,
  configurationFilesId,
  type ShownConfigurationFiles,
} from './configuration-files.tsx';
import { meaningOf } from './setting-meaning.ts';

/** As the admin API has it. */
export interface ShownSetting {
  /** In the environment. */
  readonly id: string;
  readonly value: string | null;
  readonly isSet: boolean;
  readonly origin: string;
  readonly isSecret: boolean;
  readonly changesLive: boolean;
  readonly meaning: string;
  readonly warnings: readonly string[];
}

export interface SettingsModel extends ListState {
  readonly filters: FiltersModel;
  readonly settings: readonly ShownSetting[];
  /** Undefined where there are none, and for who may not see them. */
  readonly configuration?: ShownConfigurationFiles | NotRead | undefined;
}

export const settingsHref = '/settings';

export function renderSettings(model: SettingsModel): string {
  return renderDocument(<Settings {...model} />, model.frame.presentation);
}

function Settings({ settings, configuration, ...list }: SettingsModel) {
  const t = useText();
  const others = list.frame.groups.find(({ href }) => href === settingsHref)?.pages ?? [];
  return (
    <ListPage
      {...list}
      title={t('common.settings')}
      about={t('settings.theyReadHereEnvironment')}
      before={
        <>
          <p class="narrow-only actions">
            {others
              .filter(({ href }) => href !== settingsHref)
              .map(({ title, href }) => (
                <a key={href} class="button" href={href}>
                  {t(title)}
                </a>
              ))}
          </p>
          {configuration && isNotRead(configuration) && (
            <NotReadPart id={configurationFilesId} title={t('settings.files')} {...configuration} />
          )}
          {configuration && !isNotRead(configuration) && (
            <ConfigurationFiles found={configuration} now={list.frame.now} />
          )}
        </>
      }
      columns={[
        { title: t('settings.setting') },
        { title: t('common.value') },
        { title: t('settings.from') },
      ]}
      rows={settings.map((setting) => ({
        key: setting.id,
        cells: [
          <div key="id" id={setting.id}>
            <code class="select-all">{setting.id}</code>
            <p class="hint">
              <Meaning {...setting} />
            </p>
            {setting.warnings.map((warning) => (
              <p key={warning} class="hint">
                <State kind="warn">
                  <Said>{warning}</Said>
                </State>
              </p>
            ))}
          </div>,
          <Value key="value" {...setting} />,
          <bdi key="origin">{originText(setting.origin)}</bdi>,
        ],
      }))}
      empty={<p>{t('settings.noSetting')}</p>}
    />
  );
}

function Value({ value, isSet, isSecret }: ShownSetting) {
  const t = useText();
  if (isSecret) return <span class="muted">{isSet ? t('settings.setNotShown') : t('common.notSet')}</span>;
  if (value === null) return <span class="muted">{isSet ? t('settings.empty') : t('common.notSet')}</span>;
  return <bdi class="code">{value}</bdi>;
}

/** As documents have it, in a sentence. */
function Meaning(setting: ShownSetting) {
  const t = useText();
  return (
    <>
      <Said>{meaningOf(setting)}</Said>
      {setting.changesLive && ` ${t('settings.changesLive')}`}
    </>
  );
}

function originText(origin: string): string {
  const t = useText();
  if (origin === 'unset') return t('settings.nowhere');
  return origin === 'default' ? t('settings.default') : origin;
}
