import { Said, Text, useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { State, type StateKind } from '../state.tsx';
import { type FindingReader, namedCheck, placeOf, type ShownFinding } from './finding-place.ts';
import { jobTitle } from './jobs/job-kinds.ts';

interface FindingsProps extends FindingReader {
  readonly findings: readonly ShownFinding[];
  readonly now: Date;
  /** A line each, without what puts it right: that is where the link leads. */
  readonly isShort?: boolean;
}

/** What was looked at, what is wrong with it, and what puts it right. */
export function Findings({ findings, now, isShort = false, ...reader }: FindingsProps) {
  const t = useText();
  return (
    <ul class={isShort ? 'rows boxed lines' : 'rows boxed'}>
      {findings.map((finding) => {
        const { state, check, reason, fix } = finding;
        const place = state === 'ok' ? undefined : placeOf(finding, reader);
        const name = nameOf(check, t);
        return (
          <li key={`${check} ${reason}`}>
            <h3>
              <State kind={kinds[state]}>
                <bdi>{name}</bdi>
              </State>
            </h3>
            <Reason {...finding} now={now} />
            {fix && !isShort && (
              <p class="muted">
                <Said>{fix}</Said>
              </p>
            )}
            {place && (
              <p>
                <a href={place.href}>
                  <Text id={place.label} gaps={{ ofWhich: <span class="unseen">: {name}</span> }} />
                </a>
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const kinds: Readonly<Record<ShownFinding['state'], StateKind>> = {
  ok: 'ok',
  warning: 'warn',
  problem: 'danger',
};

/** Of a job in words: what it was, and when that was. */
function Reason({ reason, job, now }: ShownFinding & Pick<FindingsProps, 'now'>) {
  const t = useText();
  if (!job)
    return (
      <p>
        <Said>{reason}</Said>
      </p>
    );
  return (
    <p>
      <Text
        id={job.state === 'failed' ? 'health.jobFailed' : 'health.jobInterrupted'}
        gaps={{
          job: <bdi>{jobTitle(job, t)}</bdi>,
          when: <Ago at={dateOf(job.endedAt)} now={now} />,
        }}
      />
      {job.problem !== null && (
        <>
          {' '}
          <Said>{job.problem}</Said>
        </>
      )}
    </p>
  );
}

function nameOf(check: string, t: Translate): string {
  const named = namedCheck(check);
  if (named === undefined) return check;
  if (typeof named === 'string') return t(named);
  const { kind, id } = named;
  if (kind === 'member') return t('health.member', { member: id });
  return t(words[kind], { id });
}

const words = { client: 'health.client', user: 'health.user', provider: 'health.provider' } as const;
