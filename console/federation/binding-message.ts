/** Sends the browser to a provider: by a redirect, or by a page with a form where the provider takes nothing else. */
import type { Context } from 'koa';
import { type AutoSubmittedFormModel, renderAutoSubmittedForm } from '../../views/auto-submitted-form.tsx';
import { presentationOf } from '../http/display/presentation.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { BindingMessage } from './connector.ts';

export interface BindingMessageOptions extends Pick<AutoSubmittedFormModel, 'purpose'> {
  /** As people know it. */
  readonly providerName: string;
  readonly isSecure: boolean;
}

export function sendBindingMessage(
  ctx: Context,
  binding: BindingMessage,
  { providerName, purpose, isSecure }: BindingMessageOptions,
): void {
  ctx.set('Cache-Control', 'no-store');
  if (binding.method === 'GET') {
    ctx.status = 303;
    ctx.redirect(binding.location);
    return;
  }
  // What the provider answers with may lead through other hosts of its own.
  setPageHeaders(ctx, isSecure, [new URL(binding.location).origin, 'https:']);
  ctx.type = 'html';
  const { location: action, fields } = binding;
  ctx.body = renderAutoSubmittedForm(
    { provider: providerName, purpose, action, fields },
    presentationOf(ctx),
  );
}
