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
  const text = useText();
  return (
    <Section id="change-password" title="Password" about="A new one ends every other session of yours.">
      <Form action={action} hidden={{ csrf }} class="boxed padded">
        {/* Without a name it is not sent; password managers read it to know whose password this is. */}
        <input type="text" value={username} autocomplete="username" readOnly hidden />
        <PasswordField name="current_password" label="Current password" autocomplete="current-password" />
        <PasswordField
          name="password"
          label="New password"
          autocomplete="new-password"
          minLength={minLength}
          hint={text('field.newPasswordHint', { n: minLength })}
        />
        <PasswordField name="password_again" label="Confirm new password" autocomplete="new-password" />
        <div class="actions">
          <button type="submit" class="button primary">
            Change password
          </button>
        </div>
      </Form>
    </Section>
  );
}
