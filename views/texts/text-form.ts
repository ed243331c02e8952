/** One sentence, or one for each plural form that a language has (`n` is the number). */
export type TextForm = string | { readonly one: string; readonly other: string };
export type Texts = Readonly<Record<string, TextForm>>;
