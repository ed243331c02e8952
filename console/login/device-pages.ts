/** What a person sees while a program is signed in by a code, at `/device`. */
import { renderDeviceCode, renderDeviceConfirm, renderDeviceDone } from '../../views/device.tsx';
import { presentationOf } from '../http/display/presentation.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import { type DevicePages, devicePath } from '../oidc/device-flow.ts';

export interface DevicePagesDeps {
  readonly findUser: (id: string) => Promise<{ readonly username: string } | undefined>;
  readonly isSecure: boolean;
}

export function createDevicePages({ findUser, isSecure }: DevicePagesDeps): DevicePages {
  return {
    ask(ctx, { secret: xsrf, ...model }) {
      setPageHeaders(ctx, isSecure);
      ctx.type = 'html';
      ctx.body = renderDeviceCode({ ...model, action: devicePath, xsrf }, presentationOf(ctx));
    },
    async confirm(ctx, { secret: xsrf, accountId, ...model }) {
      const username = accountId === undefined ? undefined : (await findUser(accountId))?.username;
      setPageHeaders(ctx, isSecure);
      ctx.type = 'html';
      ctx.body = renderDeviceConfirm({ ...model, action: devicePath, xsrf, username }, presentationOf(ctx));
    },
    done(ctx, outcome) {
      setPageHeaders(ctx, isSecure);
      ctx.type = 'html';
      ctx.body = renderDeviceDone({ outcome }, presentationOf(ctx));
    },
  };
}
