/** When the chain of the audit was verified last: how far, and with what outcome. */
import { Form } from '../../elements/form.tsx';
import { Time } from '../../elements/time.tsx';
import { Said, Text, useText } from '../../texts/elements.tsx';
import type { WordKey } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { Table } from '../lists/table.tsx';
import { State } from '../state.tsx';

/** As the admin API has it. */
export interface ShownVerification {
  readonly verifiedAt: string | null;
  readonly verifiedBy: string | null;
  readonly isGood: boolean | null;
  readonly isSigned: boolean | null;
  readonly entries: number | null;
  readonly writers: readonly ShownWriter[];
  readonly writerCount: number | null;
}

export interface ShownWriter {
  readonly writer: string;
  readonly verdict: string;
  readonly seq: number | null;
  readonly last: number | null;
  readonly says: string | null;
  readonly entries: number;
  readonly lastSeq: number;
  readonly lastCheckpointAt: string | null;
}

export interface VerificationProps {
  readonly verification: ShownVerification;
  readonly mayVerify: boolean;
  readonly csrf: string;
  /** Of the form: sent twice, it begins one. */
  readonly idempotencyKey: string;
  readonly now: Date;
}

export function Verification({ verification, mayVerify, csrf, idempotencyKey, now }: VerificationProps) {
  const t = useText();
  const { verifiedAt, isSigned } = verification;
  const act = mayVerify && (
    <Form action="/observe/audit" hidden={{ csrf, idempotencyKey, do: 'verify' }}>
      <button type="submit" class="button">
        {t('audit.verify')}
      </button>
    </Form>
  );
  return (
    <Part id="verification" title={t('audit.verification')} acts={act}>
      {verifiedAt === null ? (
        <p class="muted">{t('audit.neverVerified')}</p>
      ) : (
        <Outcome verification={verification} at={new Date(verifiedAt)} now={now} />
      )}
      {isSigned === false && <p class="muted">{t('audit.notSigned')}</p>}
    </Part>
  );
}

interface OutcomeProps {
  readonly verification: ShownVerification;
  readonly at: Date;
  readonly now: Date;
}

function Outcome({ verification, at, now }: OutcomeProps) {
  const t = useText();
  const { isGood, verifiedBy, entries, writers } = verification;
  const wrong = writers.filter(({ verdict }) => !goodVerdicts.has(verdict));
  const newest = writers.find(({ verdict }) => goodVerdicts.has(verdict)) ?? writers[0];
  return (
    <>
      <p>
        <State kind={isGood ? 'ok' : 'danger'}>{t(isGood ? 'audit.isWhole' : 'audit.isNotWhole')}</State>.{' '}
        <Text
          id="audit.verifiedAgo"
          gaps={{ ago: <Ago at={at} now={now} />, by: <bdi>{verifiedBy}</bdi>, n: entries ?? 0 }}
        />{' '}
        {newest && <UpTo {...newest} />} {t('audit.writtenSince')}
      </p>
      {wrong.length > 0 && <Wrong writers={wrong} />}
    </>
  );
}

/** The last entry of the one that has written last. */
function UpTo({ writer, lastSeq, lastCheckpointAt }: ShownWriter) {
  const entry = (
    <a href={`/observe/audit/${encodeURIComponent(`${writer}-${lastSeq}`)}`}>
      <bdi class="code">{`${writer}-${lastSeq}`}</bdi>
    </a>
  );
  if (lastCheckpointAt === null) return <Text id="audit.upTo" gaps={{ entry }} />;
  const time = <Time at={new Date(lastCheckpointAt)} />;
  return <Text id="audit.upToCheckpoint" gaps={{ entry, time }} />;
}

const goodVerdicts: ReadonlySet<string> = new Set(['ok', 'gap', 'unsigned_tail']);

const verdictWords: Readonly<Record<string, WordKey>> = {
  changed: 'audit.changed',
  removed: 'audit.removed',
  inserted: 'audit.inserted',
  swapped: 'audit.swapped',
  repeated: 'audit.repeated',
  cut: 'audit.cut',
  rolled_back: 'audit.rolledBack',
};

function Wrong({ writers }: { readonly writers: readonly ShownWriter[] }) {
  const t = useText();
  return (
    <Table
      title={t('audit.verification')}
      columns={[
        { title: t('audit.writer') },
        { title: t('audit.outcome') },
        { title: t('audit.entries') },
        { title: t('audit.why') },
      ]}
      rows={writers.map(({ writer, verdict, seq, last, says }) => ({
        key: writer,
        cells: [
          <bdi key="writer" class="code">
            {writer}
          </bdi>,
          <State key="verdict" kind="danger">
            {verdictWords[verdict] ? t(verdictWords[verdict]) : verdict}
          </State>,
          [seq, last].filter((one) => one !== null).join(' – '),
          says === null ? '' : <Said key="says">{says}</Said>,
        ],
      }))}
    />
  );
}
