import { Form } from './elements/form.tsx';
import { Link } from './elements/link.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import type { Presentation } from './presentation.ts';
import { Text, useText } from './texts/elements.tsx';

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
  const t = useText();
  return (
    <NarrowPage title={t('logout.title')}>
      <p class="lede">
        {application && (
          <>
            <Text id="logout.asks" gaps={{ application: <strong>{application.name}</strong> }} />{' '}
          </>
        )}
        {username && (
          <>
            <Text id="logout.name" gaps={{ name: <strong>{username}</strong> }} />{' '}
          </>
        )}
        {t('logout.about')}
      </p>
      <Form action={action} hidden={{ csrf }}>
        <div class="actions">
          <button type="submit" name="logout" value="yes" class="button primary">
            {t('act.signOut')}
          </button>
          <Link href={cancelHref} class="button">
            {t('logout.stay')}
          </Link>
        </div>
      </Form>
    </NarrowPage>
  );
}
