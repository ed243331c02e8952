/** An identity provider tried: what a dry run has found, and where one is begun. */
import { Form } from '../../../elements/form.tsx';
import { Said, useText } from '../../../texts/elements.tsx';
import { saidIn } from '../../../texts/text.ts';
import { Facts, Part } from '../../detail.tsx';
import { SecretField, TextField } from '../../forms/fields.tsx';
import { State } from '../../state.tsx';
import { providerHref } from './provider-form.tsx';

/** What a dry run has said of each of its steps. */
export interface TrialStep {
  readonly step: string;
  readonly ok: boolean;
  readonly said: string;
  readonly advice: string | null;
}

export interface ShownDryRun {
  readonly ok: boolean;
  readonly steps: readonly TrialStep[];
}

interface ProviderTrialProps extends ShownDryRun {
  /** What comes next, where all went well and nobody signs in by it yet. */
  readonly enableHref: string | undefined;
}

export function ProviderTrial({ ok, steps, enableHref }: ProviderTrialProps) {
  const t = useText();
  return (
    <Part
      id="trial"
      title={t('providers.dryRun')}
      about={ok ? t('providers.everyStepWell') : t('providers.stepFailed')}
      acts={
        enableHref !== undefined && (
          <a class="button primary" href={enableHref}>
            {t('providers.enable')}
          </a>
        )
      }
    >
      <Facts
        facts={steps.map(({ step, ok, said, advice }) => ({
          name: saidIn(t.language, step) ?? step,
          value: (
            <>
              <State kind={ok ? 'ok' : 'danger'}>{ok ? t('providers.well') : t('common.failed')}</State>{' '}
              <bdi>
                <Said>{said}</Said>
              </bdi>
              {advice !== null && (
                <span class="hint">
                  <Said>{advice}</Said>
                </span>
              )}
            </>
          ),
        }))}
      />
    </Part>
  );
}

interface DryRunProps {
  readonly provider: { readonly id: string; readonly kind: string | null; readonly testUrl: string | null };
  readonly csrf: string;
  /** Who reads it may sign in as a trial. */
  readonly mayTry: boolean;
}

export function DryRun({ provider: { id, kind, testUrl }, csrf, mayTry }: DryRunProps) {
  const t = useText();
  return (
    <Part
      id="dry-run"
      title={t('clients.tryIt')}
      about={t('providers.dryRunAbout')}
      acts={
        mayTry &&
        testUrl !== null && (
          <a class="button" href={testUrl}>
            {t('providers.testSignIn')}
          </a>
        )
      }
    >
      {mayTry && testUrl !== null && <p class="hint">{t('providers.testSignInHint')}</p>}
      <Form action={providerHref(id)} hidden={{ csrf, do: 'test' }}>
        {kind === 'ldap' && (
          <>
            <TextField
              name="username"
              label={t('users.userName')}
              hint={t('providers.somebodyThere')}
              isOptional
              value=""
            />
            <SecretField name="password" label={t('providers.passwordThere')} isOptional />
          </>
        )}
        <div class="actions">
          <button type="submit" class="button">
            {t('providers.dryRun')}
          </button>
        </div>
      </Form>
    </Part>
  );
}
