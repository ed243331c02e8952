/**
 * What stands before a handler in the route line of a page. A guard throws or answers, or lets the request on with what it
 * has found in `ctx.state`; the order of the line is the order of the checks.
 */
import type { Middleware, ParameterizedContext } from 'koa';
import type { UserRecord } from '../storage/records.ts';
import { checkText, type Form, parseForm, readForm } from './form.ts';
import { readUpload } from './upload.ts';

/** Adds to the state; what it needs of guards before it is the second parameter. */
export type Guard<Adds, Needs = object> = Middleware<Needs & Partial<Adds>>;

export interface WithForm {
  form: Form;
}

/** Behind `form` or `query`. */
export type FormContext = ParameterizedContext<WithForm>;

export interface WithAccount {
  /** Whose session this browser has. */
  account: UserRecord;
}

/** Behind `signedIn`. */
export type AccountContext = ParameterizedContext<WithAccount>;

/** The body. @throws {FormError} */
export const form: Guard<WithForm> = async (ctx, next) => {
  ctx.state.form = await readForm(ctx.req);
  checkText(ctx.state.form);
  await next();
};

/** A value of 1 MiB, whatever has to be escaped in it. Only behind `signedIn`: reading it is work. */
const longFormLimit = 4 * 1024 * 1024;

/** The body, with a value in it that members keep. @throws {FormError} */
export const longForm: Guard<WithForm> = async (ctx, next) => {
  ctx.state.form = await readForm(ctx.req, longFormLimit);
  checkText(ctx.state.form);
  await next();
};

/** A body with a file in it, which stands in the form in base64. Only behind `signedIn`: reading it is work. @throws {FormError} */
export const upload: Guard<WithForm> = async (ctx, next) => {
  ctx.state.form = await readUpload(ctx.req);
  checkText(ctx.state.form);
  await next();
};

/** The same with a file that becomes a value of members. @param most  bytes of the body */
export function largeUpload(most: number): Guard<WithForm> {
  return async (ctx, next) => {
    ctx.state.form = await readUpload(ctx.req, most);
    checkText(ctx.state.form);
    await next();
  };
}

/** The parameters of the address, where others come as a form. @throws {FormError} */
export const query: Guard<WithForm> = async (ctx, next) => {
  ctx.state.form = parseForm(ctx.querystring);
  await next();
};
