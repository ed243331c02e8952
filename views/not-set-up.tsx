import { NarrowPage, renderDocument } from './layout.tsx';
import type { Presentation } from './presentation.ts';

/** In place of a sign-in that nobody could pass: there is no account yet. */
export function renderNotSetUp(presentation?: Presentation): string {
  return renderDocument(
    <NarrowPage title="Not set up yet">
      <p class="lede">
        This console has no administrator, so nobody can sign in. When it starts, it prints a link that makes
        the first one:
      </p>
      <p>
        <code>administrator none yet; make one at …/setup?token=…</code>
      </p>
      <p>
        Look for it where the console was started: in the terminal, or in the output that the service manager
        or the container keeps. Each start prints a new link. Or make the administrator on that machine:
      </p>
      <p>
        <code>npx console user add ada --role Admin --password-file -</code>
      </p>
    </NarrowPage>,
    presentation,
  );
}
