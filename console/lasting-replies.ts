import { isLive } from './pages/live/live-paths.ts';
import { revocationEventsPath } from './tokens/revocation-stream/revocation-event.ts';

/** Whether the reply to this request goes on: it holds no place of those for which this process works. */
export function isLastingReply(url: string): boolean {
  return url.split('?', 1)[0] === revocationEventsPath || isLive(url);
}
