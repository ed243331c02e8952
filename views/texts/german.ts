/** All texts in German, from their files. */

import { account } from './de/account.ts';
import { common } from './de/common.ts';
import { frame } from './de/frame.ts';
import { settings } from './de/settings.ts';
import { signIn } from './de/sign-in.ts';
import type { english } from './english.ts';
import type { SameTexts } from './text-form.ts';

export const german: SameTexts<typeof english> = {
  ...signIn,
  ...common,
  ...frame,
  ...account,
  ...settings,
};
