import { assetPath } from '../../static.ts';
import { useText } from '../../texts/elements.tsx';

interface LiveProps {
  /** Of a list: the newest item of the page. */
  readonly newest?: string;
}

/** Whether the page goes on by itself, and what stops that: nothing where no script runs. */
export function Live({ newest }: LiveProps) {
  const t = useText();
  // The script fills the gaps.
  const texts = {
    live: t('frame.live'),
    pause: t('common.pause'),
    goOn: t('frame.liveGoOn'),
    paused: t('frame.livePaused'),
    every: t('frame.liveEvery'),
    lost: t('frame.livePausedSince', { time: '{time}' }),
    asOf: t('frame.liveAsOf', { time: '{time}', why: '{why}' }),
  };
  return (
    <div class="live" data-live={JSON.stringify(texts)} data-newest={newest}>
      <script type="module" src={assetPath('live.js')} />
      <span role="status">{t('frame.live')}</span>
      <button type="button" class="button small">
        {t('common.pause')}
      </button>
    </div>
  );
}
