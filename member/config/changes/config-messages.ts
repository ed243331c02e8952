import type { DynamicConfigurationConfig } from '../config.ts';
import type { Addition } from './additions.ts';
import type { FileEdit } from './file-edits.ts';

export interface ConfigAnswer {
  readonly additions?: readonly Addition[];
  readonly problems?: readonly string[];
  /** Of an error of the file system. */
  readonly code?: string;
}

export type ConfigTask =
  | { readonly kind: 'read'; readonly content: Uint8Array | string; readonly file: string }
  | {
      readonly kind: 'write';
      readonly file: string;
      readonly edits: readonly FileEdit[];
      readonly copies: DynamicConfigurationConfig;
    };
