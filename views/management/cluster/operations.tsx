/** The cluster as a whole: how it is, and what may be done to it. */
import { Form } from '../../elements/form.tsx';
import { safeHref } from '../../elements/href.ts';
import { renderDocument, renderPart } from '../../layout.tsx';
import { Said, useText } from '../../texts/elements.tsx';
import { numberIn, type Translate, type WordKey } from '../../texts/text.ts';
import { DetailPage, type Fact, Facts, Part } from '../detail.tsx';
import { EditorField } from '../forms/editor.tsx';
import { TextField } from '../forms/fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { Table } from '../lists/table.tsx';
import { Live } from '../live/live.tsx';
import { isNotRead, type NotRead, NotReadText } from '../live/not-read.tsx';
import { State, type StateKind } from '../state.tsx';

/** As the admin API has it; null: no member tells. */
export interface ShownCluster {
  readonly clusterState: string | null;
  readonly clusterVersion: string | null;
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

/** As the admin API has it; null: the member does not tell. */
export interface ShownMemberLicence {
  readonly isLicensed: boolean;
  readonly expiresAt: string | null;
  readonly mostMembers: number | null;
  readonly holder: string | null;
}

export interface OperationsPartsModel {
  readonly frame: Pick<FrameModel, 'presentation'>;
  readonly cluster: ShownCluster;
  /** Undefined where no member can be asked. */
  readonly licence: ShownMemberLicence | NotRead;
  /** Those that the reader may ask for. */
  readonly acts: readonly OfferedAct[];
  readonly impossible: readonly { readonly title: string; readonly reason: string }[];
}

export interface OperationsModel extends OperationsPartsModel {
  readonly frame: FrameModel;
  readonly csrf: string;
  readonly mayChangeVersion: boolean;
  /** Whether configuration can be added. */
  readonly mayConfigure: boolean;
  readonly notice?: string | undefined;
  readonly problem?: string | undefined;
}

export const operationsHref = '/cluster/operations';

const states: Readonly<Record<string, { readonly kind: StateKind; readonly word: WordKey }>> = {
  active: { kind: 'ok', word: 'operations.active' },
  no_migration: { kind: 'warn', word: 'operations.noMigration' },
  frozen: { kind: 'warn', word: 'operations.frozen' },
  passive: { kind: 'danger', word: 'operations.passive' },
  in_transition: { kind: 'warn', word: 'operations.inTransition' },
};

/** In a word, what the cluster still accepts. */
export function clusterStateOf({ clusterState }: Pick<ShownCluster, 'clusterState'>, t: Translate) {
  const { kind, word } = states[clusterState ?? ''] ?? { kind: 'unknown', word: 'members.unknown' };
  return { kind, word: t(word) };
}

export function renderOperations(model: OperationsModel): string {
  return renderDocument(<Operations {...model} />, model.frame.presentation);
}

function Operations(model: OperationsModel) {
  const t = useText();
  const { frame, csrf, notice, problem } = model;
  return (
    <DetailPage
      frame={frame}
      path={[]}
      title={t('common.operations')}
      about={t('operations.wholeCluster')}
      state={<ClusterState {...model} />}
      acts={<Live />}
      notice={notice}
      problem={problem}
    >
      <ClusterFacts {...model} />
      <div hidden>
        <Form id={quietForm} action={operationsHref} hidden={{ csrf }}>
          {null}
        </Form>
      </div>
      <Offered {...model} />
      {model.mayChangeVersion && <Version {...model} />}
      {model.mayConfigure && <Configuration {...model} />}
      <Impossible {...model} />
    </DetailPage>
  );
}

/** What goes on while the page is open: nothing of the forms of one reader, nor what somebody may be typing in. */
export function operationsParts(model: OperationsPartsModel): Readonly<Record<string, string>> {
  const { presentation } = model.frame;
  return {
    'cluster-state': renderPart(<ClusterState {...model} />, presentation),
    'cluster-facts': renderPart(<ClusterFacts {...model} />, presentation),
    offered: renderPart(<Offered {...model} />, presentation),
    impossible: renderPart(<Impossible {...model} />, presentation),
  };
}

function ClusterState({ cluster }: OperationsPartsModel) {
  const { kind, word } = clusterStateOf(cluster, useText());
  return (
    <span id="cluster-state" data-part="">
      <State kind={kind}>{word}</State>
    </span>
  );
}

function ClusterFacts(model: OperationsPartsModel) {
  const t = useText();
  return (
    <div id="cluster-facts" data-part="">
      <Facts facts={[...factsOf(model.cluster, t), licenceFact(model, t)]} />
    </div>
  );
}

function factsOf(
  { clusterVersion, clusterSize, isSafe, migrationQueueSize }: ShownCluster,
  t: Translate,
): readonly Fact[] {
  const unknown = t('members.unknown');
  const number = (value: number | null) => (value === null ? unknown : numberIn(t.language, value));
  return [
    { name: t('common.version'), value: clusterVersion ?? unknown },
    { name: t('common.members'), value: number(clusterSize) },
    { name: t('operations.backupsInStep'), value: <Safety isSafe={isSafe} /> },
    { name: t('operations.migrationQueue'), value: number(migrationQueueSize) },
  ];
}

function licenceFact({ licence }: OperationsPartsModel, t: Translate): Fact {
  const value = isNotRead(licence) ? <NotReadText {...licence} /> : licenceText(licence, t);
  return { name: t('operations.licence'), value };
}

function licenceText(licence: ShownMemberLicence, t: Translate) {
  if (!licence.isLicensed) return t('operations.noLicence');
  const { expiresAt, mostMembers, holder } = licence;
  const parts = [
    ...(holder === null ? [] : [holder]),
    ...(mostMembers === null ? [] : [t('operations.forMembers', { n: mostMembers })]),
    expiresAt === null
      ? t('operations.endUnknown')
      : t('operations.licenceEnds', { day: expiresAt.slice(0, 10) }),
  ];
  return <bdi>{parts.join(', ')}</bdi>;
}

function Safety({ isSafe }: Pick<ShownCluster, 'isSafe'>) {
  const t = useText();
  if (isSafe === null) return <State kind="unknown">{t('members.unknown')}</State>;
  return isSafe ? (
    <State kind="ok">{t('operations.yes')}</State>
  ) : (
    <State kind="warn">{t('operations.no')}</State>
  );
}

/** Of the buttons of what is done at once: outside of what goes on, which has nothing of one reader in it. */
const quietForm = 'at-once';

function Offered({ acts }: OperationsPartsModel) {
  return (
    <div id="offered" class="parts">
      {acts.length > 0 && <Acts acts={acts} />}
    </div>
  );
}

function Acts({ acts }: Pick<OperationsPartsModel, 'acts'>) {
  const t = useText();
  return (
    <Part id="acts" title={t('operations.whatCanBeDone')} about={t('operations.eachAsksFirst')}>
      <Table
        title={t('operations.whatCanBeDone')}
        columns={[{ title: t('operations.operation') }, { title: t('common.whatItDoes') }]}
        rows={acts.map(({ name, title, about, isDangerous, isQuiet }) => ({
          key: name,
          cells: [
            isQuiet ? (
              <button key="act" type="submit" form={quietForm} name="do" value={name} class="button">
                {title}
              </button>
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
  const t = useText();
  return (
    <Part id="version" title={t('operations.raiseVersion')} about={t('operations.onceNewRelease')}>
      <form method="get" action={safeHref(operationsHref)} class="filters">
        <input type="hidden" name="do" value="version" />
        <TextField name="to" label={t('common.version')} value={cluster.clusterVersion ?? ''} />
        <div class="actions">
          <button type="submit" class="button">
            {t('operations.raiseVersion')}
          </button>
        </div>
      </form>
    </Part>
  );
}

function Configuration({ csrf }: OperationsModel) {
  const t = useText();
  return (
    <Part id="configuration" title={t('operations.addToConfiguration')} about={t('memberConfig.about')}>
      <Form action={operationsHref} hidden={{ csrf, do: 'preview' }}>
        <EditorField name="config" label={t('memberConfig.wanted')} value="" rows={10} />
        <div class="actions">
          <button type="submit" class="button">
            {t('memberConfig.show')}
          </button>
        </div>
      </Form>
    </Part>
  );
}

function Impossible({ impossible }: OperationsPartsModel) {
  return (
    <div id="impossible" class="parts">
      {impossible.length > 0 && <NotNow impossible={impossible} />}
    </div>
  );
}

function NotNow({ impossible }: Pick<OperationsPartsModel, 'impossible'>) {
  const t = useText();
  return (
    <Part id="not-now" title={t('operations.notPossibleNow')}>
      <Table
        title={t('operations.notPossibleNow')}
        columns={[{ title: t('operations.operation') }, { title: t('operations.whyNot') }]}
        rows={impossible.map(({ title, reason }) => ({
          key: title,
          cells: [title, <Said key="reason">{reason}</Said>],
        }))}
      />
    </Part>
  );
}
