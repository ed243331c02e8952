/** All texts in English, from their files. The keys of these are what pages ask for. */

import { account } from './en/account.ts';
import { common } from './en/common.ts';
import { frame } from './en/frame.ts';
import { settings } from './en/settings.ts';
import { signIn } from './en/sign-in.ts';

export const english = {
  ...signIn,
  ...common,
  ...frame,
  ...account,
  ...settings,
} as const;

export type TextKey = keyof typeof english;
