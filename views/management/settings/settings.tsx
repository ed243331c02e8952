/** The settings as they are in force: read here, and changed where they are set. */
import { renderDocument } from '../../layout.tsx';
import { ListPage, type ListState } from '../list.tsx';

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
}

export interface SettingsModel extends ListState {
  readonly settings: readonly ShownSetting[];
}

export const settingsHref = '/settings';

export function renderSettings({ settings, ...list }: SettingsModel): string {
  const others = list.frame.groups.find(({ href }) => href === settingsHref)?.pages ?? [];
  return renderDocument(
    <ListPage
      {...list}
      title="Settings"
      about="They are read here. Environment, flags or console.yaml set them, and a new start takes them over, but for those that change live."
      before={
        <p class="narrow-only actions">
          {others
            .filter(({ href }) => href !== settingsHref)
            .map(({ title, href }) => (
              <a key={href} class="button" href={href}>
                {title}
              </a>
            ))}
        </p>
      }
      columns={[{ title: 'Setting' }, { title: 'Value' }, { title: 'From' }]}
      rows={settings.map((setting) => ({
        key: setting.id,
        cells: [
          <div key="id" id={setting.id}>
            <code class="select-all">{setting.id}</code>
            <p class="hint">{meaningText(setting)}</p>
          </div>,
          <Value key="value" {...setting} />,
          <bdi key="origin">{originText(setting.origin)}</bdi>,
        ],
      }))}
      empty={<p>There is no setting.</p>}
    />,
  );
}

function Value({ value, isSet, isSecret }: ShownSetting) {
  if (isSecret) return <span class="muted">{isSet ? 'Set, not shown' : 'Not set'}</span>;
  if (value === null) return <span class="muted">{isSet ? 'Empty' : 'Not set'}</span>;
  return <bdi class="code">{value}</bdi>;
}

/** As documents have it, in a sentence. */
function meaningText({ meaning, changesLive }: ShownSetting): string {
  const plain = meaning.replaceAll('`', '');
  const sentence = `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
  return changesLive ? `${sentence} It changes live.` : sentence;
}

function originText(origin: string): string {
  if (origin === 'unset') return 'Nowhere';
  return origin === 'default' ? 'Default' : origin;
}
