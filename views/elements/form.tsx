import type { ComponentChildren } from 'preact';
import { useText } from '../texts/elements.tsx';
import { safeHref } from './href.ts';

interface FormProps {
  /** Path that takes the form. */
  readonly action: string;
  /** Hidden fields by name, the CSRF token among them. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** By which a button elsewhere on the page names it. */
  readonly id?: string;
  /** A file goes with it. */
  readonly isUpload?: boolean;
}

/**
 * A form that works without script; every one is a POST (style guide, "Views").
 *
 * @throws {Error} when `action` could lead anywhere but to a page
 */
export function Form({ action, hidden, children, class: className, id, isUpload }: FormProps) {
  const target = safeHref(action);
  if (target === undefined) throw new Error('a form needs a path or an http(s) address to go to');
  return (
    <form
      id={id}
      method="post"
      action={target}
      class={className}
      enctype={isUpload ? 'multipart/form-data' : undefined}
    >
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

interface FieldProps {
  /** Name of the form field; also its id, so it must be unique on the page. */
  readonly name: string;
  readonly label: string;
  readonly autocomplete: string;
  /** The keyboard that a phone shows. */
  readonly inputMode?: 'text' | 'email';
  readonly value?: string | undefined;
  readonly hint?: string;
  readonly isOptional?: boolean;
  readonly isReadOnly?: boolean;
  /** Id of the problem that this field may be the cause of. */
  readonly problemId?: string | undefined;
}

/** A labelled line of text. */
export function Field({ name, label, inputMode = 'text', value = '', ...rest }: FieldProps) {
  const { autocomplete, hint, isOptional = false, isReadOnly = false, problemId } = rest;
  const t = useText();
  return (
    <div class="field">
      <label for={name}>
        {label}
        {isOptional && <span class="optional"> {t('field.optional')}</span>}
      </label>
      <input
        id={name}
        name={name}
        type="text"
        inputMode={inputMode}
        value={value}
        autocomplete={autocomplete}
        autocapitalize="none"
        spellcheck={false}
        required={!isOptional}
        readOnly={isReadOnly}
        aria-invalid={problemId !== undefined && !isReadOnly ? 'true' : undefined}
        aria-describedby={describedBy(hint && `${name}-hint`, problemId)}
      />
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface PasswordFieldProps {
  readonly name: string;
  readonly label: string;
  /** `current-password` to sign in, `new-password` to choose one; password managers act on it. */
  readonly autocomplete: 'current-password' | 'new-password';
  readonly minLength?: number;
  readonly hint?: string;
  readonly problemId?: string | undefined;
}

/** A labelled password. It has no value on purpose: a password is never echoed. */
export function PasswordField({ name, label, autocomplete, minLength, hint, problemId }: PasswordFieldProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type="password"
        autocomplete={autocomplete}
        required
        minLength={minLength}
        aria-invalid={problemId === undefined ? undefined : 'true'}
        aria-describedby={describedBy(hint && `${name}-hint`, problemId)}
      />
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function describedBy(...ids: readonly (string | undefined)[]): string | undefined {
  return ids.filter(Boolean).join(' ') || undefined;
}

interface NewPasswordFieldsProps {
  readonly minLength: number;
  /** Id of the problem, where it is with the passwords. */
  readonly problemId: string | undefined;
}

/** A password that is chosen here, typed twice: `password` and `password_again`. */
export function NewPasswordFields({ minLength, problemId }: NewPasswordFieldsProps) {
  const t = useText();
  return (
    <>
      <PasswordField
        name="password"
        label={t('field.password')}
        autocomplete="new-password"
        minLength={minLength}
        hint={t('field.newPasswordHint', { n: minLength })}
        problemId={problemId}
      />
      <PasswordField
        name="password_again"
        label={t('field.passwordAgain')}
        autocomplete="new-password"
        problemId={problemId}
      />
    </>
  );
}
