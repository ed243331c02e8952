import { Form } from './elements/form.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import type { Presentation } from './presentation.ts';

export interface AutoSubmittedFormModel {
  readonly provider: string;
  /** What the message is about. */
  readonly purpose: 'sign-in' | 'sign-out';
  /** Address of the provider. */
  readonly action: string;
  /** What the browser brings there. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A message to a provider that takes it as a form only: sent by a press, because pages here have no script. */
export function renderAutoSubmittedForm(
  { provider, purpose, action, fields }: AutoSubmittedFormModel,
  presentation?: Presentation,
): string {
  return renderDocument(
    <NarrowPage title="One more step">
      <p class="lede">
        {purpose === 'sign-in' ? (
          <>
            You sign in at <strong>{provider}</strong>, which wants to be asked by a form.
          </>
        ) : (
          <>
            You are signed out here. <strong>{provider}</strong> has to hear of it from your browser.
          </>
        )}
      </p>
      <Form action={action} hidden={fields}>
        <div class="actions">
          <button type="submit" class="button primary">
            Go on to {provider}
          </button>
        </div>
      </Form>
    </NarrowPage>,
    presentation,
  );
}
