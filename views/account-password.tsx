import { Form, PasswordField } from './elements/form.tsx';
import { Section } from './elements/section.tsx';
import { useText } from './texts/elements.tsx';

interface AccountPasswordProps {
  readonly action: string;
  readonly csrf: string;
  readonly username: string;
  readonly minLength: number;
}

/** Changes the password; sends `current_password`, `password`, `password_again` and `csrf`. */
export function AccountPassword({ action, csrf, username, minLength }: AccountPasswordProps) {
  const t = useText();
  return (
    <Section id="change-password" title={t('common.password')} about={t('account.newOneEndsEvery')}>
      <Form action={action} hidden={{ csrf }} class="boxed padded">
        {/* Without a name it is not sent; password managers read it to know whose password this is. */}
        <input type="text" value={username} autocomplete="username" readOnly hidden />
        <PasswordField
          name="current_password"
          label={t('common.currentPassword')}
          autocomplete="current-password"
        />
        <PasswordField
          name="password"
          label={t('account.newPassword')}
          autocomplete="new-password"
          minLength={minLength}
          hint={t('field.newPasswordHint', { n: minLength })}
        />
        <PasswordField
          name="password_again"
          label={t('account.confirmNewPassword')}
          autocomplete="new-password"
        />
        <div class="actions">
          <button type="submit" class="button primary">
            {t('account.changePassword')}
          </button>
        </div>
      </Form>
    </Section>
  );
}
