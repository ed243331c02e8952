/** The cluster as a whole: how it is, and what may be done to it. */
import { Form } from '../../elements/form.tsx';
import { safeHref } from '../../elements/href.ts';
import { renderDocument } from '../../layout.tsx';
import { DetailPage, Facts, Part } from '../detail.tsx';
import { TextField } from '../fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { Table } from '../list.tsx';
import { State, type StateKind } from '../state.tsx';

/** As the admin API has it; null: no member tells. */
export interface ShownCluster {
  readonly clusterState: string | null;
  readonly clusterVersion: string | null;
  readonly instanceName: string | null;
  readonly isSafe: boolean | null;
  readonly migrationQueueSize: number | null;
  readonly clusterSize: number | null;
  readonly may: readonly {
    readonly operation: string;
    readonly isPossible: boolean;
    /** Why not. */
    readonly reason: string | null;
  }[];
}

/** What can be asked for, by the word in the address. */
export interface OfferedAct {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly isDangerous: boolean;
  /** Hits nobody: done at once. */
  readonly isQuiet: boolean;
}

export interface OperationsModel {
  readonly frame: FrameModel;
  readonly csrf: string;
  readonly cluster: ShownCluster;
  /** Those that the reader may ask for. */
  readonly acts: readonly OfferedAct[];
  readonly mayChangeVersion: boolean;
  readonly impossible: readonly { readonly title: string; readonly reason: string }[];
  readonly notice?: string | undefined;
  readonly problem?: string | undefined;
}

export const operationsHref = '/cluster/operations';

const stateWords: Readonly<Record<string, { readonly kind: StateKind; readonly word: string }>> = {
  active: { kind: 'ok', word: 'Active' },
  no_migration: { kind: 'warn', word: 'No migration' },
  frozen: { kind: 'warn', word: 'Frozen' },
  passive: { kind: 'danger', word: 'Passive' },
  in_transition: { kind: 'warn', word: 'In transition' },
};

export function renderOperations(model: OperationsModel): string {
  const { frame, cluster, notice, problem } = model;
  const { kind, word } = stateWords[cluster.clusterState ?? ''] ?? {
    kind: 'unknown' as const,
    word: 'Unknown',
  };
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[]}
      title="Operations"
      about="What is done here is done to the whole cluster."
      state={<State kind={kind}>{word}</State>}
      notice={notice}
      problem={problem}
    >
      <Facts
        facts={[
          { name: 'Instance', value: <bdi>{cluster.instanceName ?? 'Unknown'}</bdi> },
          { name: 'Version', value: cluster.clusterVersion ?? 'Unknown' },
          { name: 'Members', value: cluster.clusterSize ?? 'Unknown' },
          { name: 'Backups in step', value: safety(cluster.isSafe) },
          { name: 'Migration queue', value: cluster.migrationQueueSize ?? 'Unknown' },
        ]}
      />
      {model.acts.length > 0 && <Offered {...model} />}
      {model.mayChangeVersion && <Version {...model} />}
      <Impossible {...model} />
    </DetailPage>,
  );
}

function safety(isSafe: boolean | null) {
  if (isSafe === null) return <State kind="unknown">Unknown</State>;
  return isSafe ? <State kind="ok">Yes</State> : <State kind="warn">No</State>;
}

function Offered({ acts, csrf }: OperationsModel) {
  return (
    <Part
      id="acts"
      title="What can be done"
      about="Each asks first, and says what it does; but for those of hot backups, which hit nobody."
    >
      <Table
        title="What can be done"
        columns={[{ title: 'Operation' }, { title: 'What it does' }]}
        rows={acts.map(({ name, title, about, isDangerous, isQuiet }) => ({
          key: name,
          cells: [
            isQuiet ? (
              <Form key="act" action={operationsHref} hidden={{ csrf, do: name }}>
                <button type="submit" class="button">
                  {title}
                </button>
              </Form>
            ) : (
              <a
                key="act"
                class={isDangerous ? 'button danger' : 'button'}
                href={`${operationsHref}?do=${name}`}
              >
                {title}
              </a>
            ),
            about,
          ],
        }))}
      />
    </Part>
  );
}

function Version({ cluster }: OperationsModel) {
  return (
    <Part
      id="version"
      title="Raise version"
      about="Once every member runs a new release, the cluster as a whole can go by it."
    >
      <form method="get" action={safeHref(operationsHref)} class="filters">
        <input type="hidden" name="do" value="version" />
        <TextField name="to" label="Version" value={cluster.clusterVersion ?? ''} />
        <div class="actions">
          <button type="submit" class="button">
            Raise version
          </button>
        </div>
      </form>
    </Part>
  );
}

function Impossible({ impossible }: OperationsModel) {
  if (impossible.length === 0) return null;
  return (
    <Part id="not-now" title="Not possible now">
      <Table
        title="Not possible now"
        columns={[{ title: 'Operation' }, { title: 'Why not' }]}
        rows={impossible.map(({ title, reason }) => ({ key: title, cells: [title, reason] }))}
      />
    </Part>
  );
}
