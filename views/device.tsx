import { Field, Form } from './elements/form.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import { Problem } from './message.tsx';
import type { Presentation } from './presentation.ts';
import { Said, Text, useText } from './texts/elements.tsx';

/** Where the code of a program is typed (RFC 8628 §3.3). */
export interface DeviceCodeModel {
  readonly action: string;
  readonly xsrf: string;
  /** Of the address, or typed before. */
  readonly userCode: string;
  readonly problem?: string | undefined;
}

/** Sends `user_code` and `xsrf`. */
export function renderDeviceCode(model: DeviceCodeModel, presentation?: Presentation): string {
  return renderDocument(<DeviceCode {...model} />, presentation);
}

function DeviceCode({ action, xsrf, userCode, problem }: DeviceCodeModel) {
  const t = useText();
  return (
    <NarrowPage title={t('device.title')} hasProblem={problem !== undefined}>
      <p class="lede">{t('device.about')}</p>
      {problem && (
        <Problem id="problem">
          <Said>{problem}</Said>
        </Problem>
      )}
      <Form action={action} hidden={{ xsrf }}>
        <Field
          name="user_code"
          label={t('device.code')}
          autocomplete="off"
          value={userCode}
          hint={t('device.hint')}
          problemId={problem === undefined ? undefined : 'problem'}
        />
        <div class="actions">
          <button type="submit" class="button primary">
            {t('act.continue')}
          </button>
        </div>
      </Form>
    </NarrowPage>
  );
}

/** What is asked before a program is signed in (RFC 8628 §5.4). */
export interface DeviceConfirmModel {
  readonly action: string;
  readonly xsrf: string;
  readonly userCode: string;
  readonly application: string;
  readonly device: { readonly address: string; readonly userAgent: string };
  /** Who is signed in; undefined: whoever signs in next. */
  readonly username?: string | undefined;
}

/** Sends `user_code`, `xsrf` and `confirm` or `abort`. */
export function renderDeviceConfirm(model: DeviceConfirmModel, presentation?: Presentation): string {
  return renderDocument(<DeviceConfirm {...model} />, presentation);
}

function DeviceConfirm({ action, xsrf, userCode, application, device, username }: DeviceConfirmModel) {
  const t = useText();
  return (
    <NarrowPage title={t('consent.title', { application })}>
      <p class="lede">
        <Text
          id="device.acts"
          gaps={{
            name: username === undefined ? t('device.nextAccount') : <strong>{username}</strong>,
          }}
        />
      </p>
      <ul class="rows boxed">
        <li>
          <p>{t('device.shows')}</p>
          <p class="code">{userCode}</p>
        </li>
        <li>
          <p>{t('device.from')}</p>
          <p class="code muted">
            {device.address} {device.userAgent}
          </p>
        </li>
      </ul>
      <p class="muted">{t('device.warning')}</p>
      <Form action={action} hidden={{ xsrf, user_code: userCode }}>
        <div class="actions">
          <button type="submit" name="confirm" value="yes" class="button primary">
            {t('act.allow')}
          </button>
          <button type="submit" name="abort" value="yes" class="button">
            {t('act.deny')}
          </button>
        </div>
      </Form>
    </NarrowPage>
  );
}

interface DeviceDoneModel {
  readonly outcome: 'allowed' | 'denied';
}

/** The end of it, which only the program goes on from. */
export function renderDeviceDone(model: DeviceDoneModel, presentation?: Presentation): string {
  return renderDocument(<DeviceDone {...model} />, presentation);
}

function DeviceDone({ outcome }: DeviceDoneModel) {
  const t = useText();
  const isAllowed = outcome === 'allowed';
  return (
    <NarrowPage title={t(isAllowed ? 'device.allowedTitle' : 'device.deniedTitle')}>
      <p class="lede">{t(isAllowed ? 'device.allowed' : 'device.denied')}</p>
      <p class="muted">{t('device.close')}</p>
    </NarrowPage>
  );
}
