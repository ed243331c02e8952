/** The files of configuration that the console keeps to: whether they are in force, and what is wrong with them. */
import { Said, Text, useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { type Fact, Facts, Part } from '../detail.tsx';
import { State, type StateKind } from '../state.tsx';

/** As the admin API has it. */
export interface ShownConfigurationFiles {
  /** The directory; null where none is followed. */
  readonly path: string | null;
  /** Null: no console has read it yet. */
  readonly state: 'applied' | 'refused' | null;
  readonly at: string | null;
  readonly appliedAt: string | null;
  readonly problem: string | null;
  readonly sources: readonly {
    readonly source: string;
    readonly state: 'applied' | 'refused';
    readonly problem: string | null;
  }[];
  /** Of several consoles, the one that has read them. */
  readonly console: string | null;
  readonly consoles: readonly {
    readonly name: string;
    readonly differs: boolean;
    readonly files: readonly string[];
  }[];
}

export const configurationFilesId = 'configuration';

interface ConfigurationFilesProps {
  readonly found: ShownConfigurationFiles;
  readonly now: Date;
}

export function ConfigurationFiles({ found, now }: ConfigurationFilesProps) {
  const t = useText();
  return (
    <Part id={configurationFilesId} title={t('settings.files')} about={t('settings.filesAbout')}>
      <Facts facts={[...factsOf(found, now, t), ...wrongIn(found, t), ...differencesIn(found, t)]} />
      {found.state === 'refused' && (
        <p class="muted">
          <Text id="settings.filesMend" gaps={{ command: <code>npx console config plan</code> }} />
        </p>
      )}
    </Part>
  );
}

const kinds = { applied: 'ok', refused: 'danger' } as const satisfies Record<string, StateKind>;

function factsOf(
  { path, state, at, appliedAt, console: reader }: ShownConfigurationFiles,
  now: Date,
  t: Translate,
): readonly Fact[] {
  return [
    { name: t('settings.filesDirectory'), value: <bdi class="code">{path}</bdi> },
    {
      name: t('common.state'),
      value:
        state === null ? (
          <State kind="unknown">{t('settings.filesUnread')}</State>
        ) : (
          <State kind={kinds[state]}>
            {t(state === 'applied' ? 'settings.filesInForce' : 'settings.filesRefused')}
          </State>
        ),
    },
    { name: t('settings.filesRead'), value: <Ago at={dateOf(at)} now={now} /> },
    { name: t('settings.filesApplied'), value: <Ago at={dateOf(appliedAt)} now={now} /> },
    ...(reader === null ? [] : [{ name: t('settings.filesReadBy'), value: <bdi>{reader}</bdi> }]),
  ];
}

/** By source; of files that cannot be read at all there is none. */
function wrongIn({ problem, sources }: ShownConfigurationFiles, t: Translate): readonly Fact[] {
  const refused = sources.filter(({ state }) => state === 'refused');
  if (refused.length === 0) {
    return problem === null ? [] : [{ name: t('settings.filesWrong'), value: <Why problem={problem} /> }];
  }
  return refused.map(({ source, problem: why }) => ({
    name: t('settings.filesWrongIn', { source }),
    value: <Why problem={why ?? ''} />,
  }));
}

function Why({ problem }: { readonly problem: string }) {
  return (
    <bdi>
      <Said>{problem}</Said>
    </bdi>
  );
}

/** Those of the console that leads are in force. */
function differencesIn({ consoles }: ShownConfigurationFiles, t: Translate): readonly Fact[] {
  return consoles
    .filter(({ differs }) => differs)
    .map(({ name, files }) => ({
      name: t('settings.filesDiffer', { name }),
      value: <bdi>{files.length === 0 ? t('settings.filesOthers') : files.join(', ')}</bdi>,
    }));
}
