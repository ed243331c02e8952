import { z } from 'zod';

/** What a part of the schema is, for those who read it from text: XML, the environment, a program. */
export type Shape =
  | { readonly kind: 'section'; readonly fields: Readonly<Record<string, z.ZodType>> }
  | { readonly kind: 'named'; readonly name: z.ZodType; readonly value: z.ZodType }
  | { readonly kind: 'list'; readonly item: z.ZodType }
  | { readonly kind: 'number' | 'boolean' | 'text' };

export function shapeOf(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodOptional) return shapeOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return shapeOf(schema.out as z.ZodType);
  if (schema instanceof z.ZodObject) {
    // Without a prototype: a key from outside may be called `constructor`.
    return { kind: 'section', fields: Object.assign(Object.create(null), schema.shape) };
  }
  if (schema instanceof z.ZodRecord) {
    return { kind: 'named', name: schema.keyType as z.ZodType, value: schema.valueType as z.ZodType };
  }
  if (schema instanceof z.ZodArray) return { kind: 'list', item: schema.element as z.ZodType };
  if (schema instanceof z.ZodNumber) return { kind: 'number' };
  return { kind: schema instanceof z.ZodBoolean ? 'boolean' : 'text' };
}

/** A text as the value that the schema wants, where it can be one; else as it is, for the check to refuse. */
export function valueFromText(kind: Shape['kind'], text: string): unknown {
  if (kind === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (kind === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}
