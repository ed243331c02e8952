import { Field, Form } from './elements/form.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import { Problem } from './message.tsx';
import type { Presentation } from './presentation.ts';

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
  return (
    <NarrowPage title="Sign a program in" hasProblem={problem !== undefined}>
      <p class="lede">A program that has no browser of its own shows you a code of eight letters.</p>
      {problem && <Problem id="problem">{problem}</Problem>}
      <Form action={action} hidden={{ xsrf }}>
        <Field
          name="user_code"
          label="Code"
          autocomplete="off"
          value={userCode}
          hint="Only if you have started the program yourself, and it shows this code now."
          problemId={problem === undefined ? undefined : 'problem'}
        />
        <div class="actions">
          <button type="submit" class="button primary">
            Continue
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
  return (
    <NarrowPage title={`Let ${application} in?`}>
      <p class="lede">
        It will act at the administration of this console as{' '}
        {username === undefined ? 'the account that you sign in with next' : <strong>{username}</strong>},
        with all roles of that account.
      </p>
      <ul class="rows boxed">
        <li>
          <p>The program shows the code</p>
          <p class="code">{userCode}</p>
        </li>
        <li>
          <p>It asked from</p>
          <p class="code muted">
            {device.address} {device.userAgent}
          </p>
        </li>
      </ul>
      <p class="muted">Deny it if somebody else has sent you here, or the code is another one.</p>
      <Form action={action} hidden={{ xsrf, user_code: userCode }}>
        <div class="actions">
          <button type="submit" name="confirm" value="yes" class="button primary">
            Allow
          </button>
          <button type="submit" name="abort" value="yes" class="button">
            Deny
          </button>
        </div>
      </Form>
    </NarrowPage>
  );
}

/** The end of it, which only the program goes on from. */
export function renderDeviceDone(
  { outcome }: { readonly outcome: 'allowed' | 'denied' },
  presentation?: Presentation,
): string {
  const isAllowed = outcome === 'allowed';
  return renderDocument(
    <NarrowPage title={isAllowed ? 'The program is signed in' : 'The program was not signed in'}>
      <p class="lede">
        {isAllowed
          ? 'It goes on by itself in a few seconds. It stays signed in for as long as your session here; signing out ends both.'
          : 'Nothing was given to it.'}
      </p>
      <p class="muted">You can close this page.</p>
    </NarrowPage>,
    presentation,
  );
}
