import { Field, Form, NewPasswordFields } from './elements/form.tsx';
import { OwnAddress, type OwnAddressProps } from './elements/own-address.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import { Problem } from './message.tsx';
import type { Presentation } from './presentation.ts';
import { Said, useText } from './texts/elements.tsx';

/** First run: the form that creates the first administrator (S27). */
export interface SetupModel {
  readonly action: string;
  readonly csrf: string;
  /** The one-time token of the set-up link; it goes back with the form as `token`. */
  readonly setupToken: string;
  /** What was typed before, empty at first. */
  readonly username: string;
  readonly email: string;
  readonly minPasswordLength: number;
  /** Where this console is, for a request that named another host. */
  readonly ownAddress?: OwnAddressProps | undefined;
  readonly problem?: string | undefined;
  /** The problem is with the passwords, which are marked then, and not with what stands above them. */
  readonly isPasswordAtFault?: boolean | undefined;
}

/** Sends `username`, `email`, `password`, `password_again`, with `csrf` and `token`. */
export function renderSetup(model: SetupModel, presentation?: Presentation): string {
  return renderDocument(<Setup {...model} />, presentation);
}

function Setup({ action, csrf, setupToken, username, email, minPasswordLength, ...rest }: SetupModel) {
  const { ownAddress, problem, isPasswordAtFault = false } = rest;
  const t = useText();
  const problemId = problem !== undefined && isPasswordAtFault ? 'problem' : undefined;
  return (
    <NarrowPage title={t('setup.title')} hasProblem={problem !== undefined}>
      <p class="lede">{t('setup.about')}</p>
      {ownAddress && <OwnAddress {...ownAddress} />}
      {problem && (
        <Problem id="problem">
          <Said>{problem}</Said>
        </Problem>
      )}
      <Form action={action} hidden={{ csrf, token: setupToken }}>
        <Field name="username" label={t('field.username')} autocomplete="username" value={username} />
        <Field
          name="email"
          label={t('field.email')}
          inputMode="email"
          autocomplete="email"
          value={email}
          isOptional
        />
        <NewPasswordFields minLength={minPasswordLength} problemId={problemId} />
        <div class="actions">
          <button type="submit" class="button primary">
            {t('setup.create')}
          </button>
        </div>
      </Form>
    </NarrowPage>
  );
}
