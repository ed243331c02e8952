/** What is described, and the form of the description as far as readers here go into it. */
import type { Operation } from '../operations/operation.ts';

/** An operation of any services: they are no part of its description. */
export type AnyOperation = Operation<never>;

export interface Description {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-roles': readonly string[];
  readonly 'x-dangerous': boolean;
  readonly 'x-audit-event'?: string;
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, DescribedContent>> };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

export interface DescribedResponse {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, DescribedContent>>;
}

export interface DescribedContent {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
}
