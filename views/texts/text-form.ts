/** One sentence, or one for each plural form that a language has (`n` is the number). */
export type TextForm = string | { readonly one: string; readonly other: string };
export type Texts = Readonly<Record<string, TextForm>>;

/** The same keys in another language, each in the same form: one that is missing is an error of types. */
export type SameTexts<English extends Texts> = {
  readonly [K in keyof English]: English[K] extends string ? string : Exclude<TextForm, string>;
};

/** The names of the gaps in a text. */
export type GapsIn<Form extends TextForm> = Form extends string
  ? NamesIn<Form>
  : Form extends { readonly one: infer One extends string; readonly other: infer Other extends string }
    ? 'n' | NamesIn<One> | NamesIn<Other>
    : never;

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
