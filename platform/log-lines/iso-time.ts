/** Times of log lines and of audit entries: RFC 3339 with milliseconds, UTC. */

/** All but the milliseconds once a second. */
export function createIsoTime(): (epochMs: number) => string {
  let second = Number.NaN;
  let text = '';
  return (epochMs) => {
    const now = Math.floor(epochMs / 1000);
    if (now !== second) {
      second = now;
      text = new Date(now * 1000).toISOString().slice(0, -'000Z'.length);
    }
    return `${text}${String(epochMs - now * 1000).padStart(3, '0')}Z`;
  };
}
