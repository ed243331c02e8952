import { Form } from './elements/form.tsx';
import { Link } from './elements/link.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import type { Presentation } from './presentation.ts';

export interface LogoutModel {
  readonly action: string;
  /** Token of the sign-out form; it goes back as `csrf` (S37). */
  readonly csrf: string;
  readonly username?: string | undefined;
  /** The application that asks for the sign-out. */
  readonly application?: { readonly name: string } | undefined;
  readonly cancelHref: string;
}

/** Sends `logout=yes` and `csrf`; to stay signed in is a plain link that sends nothing. */
export function renderLogout(model: LogoutModel, presentation?: Presentation): string {
  return renderDocument(<Logout {...model} />, presentation);
}

function Logout({ action, csrf, username, application, cancelHref }: LogoutModel) {
  return (
    <NarrowPage title="Sign out?">
      <p class="lede">
        {application && (
          <>
            <strong>{application.name}</strong> asks to sign you out.{' '}
          </>
        )}
        {username && (
          <>
            You are signed in as <strong>{username}</strong>.{' '}
          </>
        )}
        Signing out ends this session in the console and in every application that you opened with it.
      </p>
      <Form action={action} hidden={{ csrf }}>
        <div class="actions">
          <button type="submit" name="logout" value="yes" class="button primary">
            Sign out
          </button>
          <Link href={cancelHref} class="button">
            Stay signed in
          </Link>
        </div>
      </Form>
    </NarrowPage>
  );
}
