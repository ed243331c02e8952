import { assetPath } from '../static.ts';

/** Whether the page goes on by itself, and what stops that: nothing where no script runs. */
export function Live() {
  return (
    <div class="live" data-live="">
      <script type="module" src={assetPath('live.js')} />
      <span role="status">Live</span>
      <button type="button" class="button small">
        Pause
      </button>
    </div>
  );
}
