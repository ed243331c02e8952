/** The page of a job at one map or queue: where it belongs, how it goes on, and how it is stopped. */
import type { ComponentChildren } from 'preact';
import { Form } from '../../elements/form.tsx';
import { useText } from '../../texts/elements.tsx';
import { saidIn } from '../../texts/text.ts';
import { DetailPage } from '../detail.tsx';
import type { Crumb, FrameModel } from '../frame.tsx';
import { Live } from '../live/live.tsx';
import { isRunning, type ShownJob } from '../observe/jobs/job-parts.tsx';

export interface StructureJobModel {
  readonly frame: FrameModel;
  readonly csrf: string;
  readonly notice?: string | undefined;
}

interface StructureJobProps extends StructureJobModel {
  readonly path: readonly Crumb[];
  readonly title: string;
  readonly job: Pick<ShownJob, 'state' | 'problem'>;
  /** Of this page; its form stops the job. */
  readonly href: string;
  readonly mayStop: boolean;
  readonly children: ComponentChildren;
}

export function StructureJobPage(props: StructureJobProps) {
  const { frame, path, title, job, notice, children } = props;
  const t = useText();
  const why = job.problem?.detail;
  return (
    <DetailPage
      frame={frame}
      path={path}
      title={title}
      acts={isRunning(job) && <RunningActs {...props} />}
      notice={notice}
      problem={why === undefined ? undefined : (saidIn(t.language, why) ?? why)}
    >
      {children}
    </DetailPage>
  );
}

/** They are there until the page is opened again: a stop of what has ended does nothing. */
function RunningActs({ href, csrf, mayStop }: StructureJobProps) {
  const t = useText();
  return (
    <>
      <Live />
      <noscript>
        <a class="button" href={href}>
          {t('drains.refresh')}
        </a>
      </noscript>
      {mayStop && (
        <Form action={href} hidden={{ csrf, do: 'stop' }}>
          <button type="submit" class="button">
            {t('drains.stop')}
          </button>
        </Form>
      )}
    </>
  );
}
