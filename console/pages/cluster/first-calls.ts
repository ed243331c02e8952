/** What puts something into a map or a queue, for who has none yet: as a command, and as a call of the members' API. */
import type { Snippet } from '../../../views/management/snippets.tsx';
import type { Translate } from '../../../views/texts/text.ts';

/** @param origin  of this console */
export function firstEntry(origin: string, t: Translate): readonly Snippet[] {
  return [
    { language: t('frame.command'), text: 'npx console map put orders 1001 --value "books"' },
    { language: 'curl', text: curl(origin, 'svc:map:orders:write', 'maps/orders/1001', 'books') },
  ];
}

/** @param origin  of this console */
export function firstItem(origin: string, t: Translate): readonly Snippet[] {
  return [
    { language: t('frame.command'), text: 'npx console queue offer jobs --value "rebuild"' },
    { language: 'curl', text: curl(origin, 'svc:queue:jobs:offer', 'queues/jobs', 'rebuild') },
  ];
}

function curl(origin: string, scope: string, path: string, value: string): string {
  return `# TOKEN holds an access token with the scope ${scope}
curl -X POST '${origin}/svc/rest/${path}' \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: text/plain' -d '${value}'`;
}
