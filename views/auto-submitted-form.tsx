import { Form } from './elements/form.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import type { Presentation } from './presentation.ts';
import { Text, useText } from './texts/elements.tsx';

export interface AutoSubmittedFormModel {
  readonly provider: string;
  /** What the message is about. */
  readonly purpose: 'sign-in' | 'sign-out';
  /** Address of the provider. */
  readonly action: string;
  /** What the browser brings there. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A message to a provider that takes it as a form only: sent by a press, because pages of sign-in and sign-out have no script. */
export function renderAutoSubmittedForm(model: AutoSubmittedFormModel, presentation?: Presentation): string {
  return renderDocument(<AutoSubmittedForm {...model} />, presentation);
}

function AutoSubmittedForm({ provider, purpose, action, fields }: AutoSubmittedFormModel) {
  const t = useText();
  const id = purpose === 'sign-in' ? 'step.signIn' : 'step.signOut';
  return (
    <NarrowPage title={t('step.title', { provider })}>
      <p class="lede">
        <Text id={id} gaps={{ provider: <strong>{provider}</strong> }} />
      </p>
      <Form action={action} hidden={fields}>
        <div class="actions">
          <button type="submit" class="button primary">
            {t('step.goOn', { provider })}
          </button>
        </div>
      </Form>
    </NarrowPage>
  );
}
