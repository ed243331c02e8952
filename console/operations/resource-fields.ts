/**
 * The forms of one resource, from one declaration. Each field is declared once, without a default: a default in a
 * schema would come back with every patch, and reset what nobody has named.
 */
import { z } from 'zod';

type Shape = z.core.$ZodLooseShape;

export interface ResourceDeclaration<Fields extends Shape, Given extends keyof Fields> {
  /** What an administrator says of it. */
  readonly fields: Fields;
  /** What a new one has where nothing is said; null: nothing. A field without one has to be given. */
  readonly defaults: { readonly [F in Given]: z.output<Fields[F]> | null };
}

type Optional<Fields extends Shape> = { [F in keyof Fields]: z.ZodExactOptional<Fields[F]> };
type Nullable<Fields extends Shape, Given extends keyof Fields> = {
  [F in keyof Fields]: F extends Given
    ? z.ZodExactOptional<z.ZodNullable<Fields[F]>>
    : z.ZodExactOptional<Fields[F]>;
};
type Complete<Fields extends Shape> = { [F in keyof Fields]: z.output<Fields[F]> | null };

export interface Resource<Fields extends Shape, Given extends keyof Fields> {
  /** To create one: fields with a default may be left out. */
  readonly input: z.ZodObject<Omit<Fields, Given> & Optional<Pick<Fields, Given>>, z.core.$strict>;
  /** To change one: what is left out stays, null goes back to the default (RFC 7396). */
  readonly patch: z.ZodObject<Nullable<Fields, Given>, z.core.$strict>;
  /** The whole of a new one. */
  complete(input: object): Complete<Fields>;
  /** What a patch names, with defaults for what it sets to null. */
  changed(patch: object): Partial<Complete<Fields>>;
}

export function resource<Fields extends Shape, Given extends keyof Fields & string>({
  fields,
  defaults,
}: ResourceDeclaration<Fields, Given>): Resource<Fields, Given> {
  const hasDefault = (name: string) => Object.hasOwn(defaults, name);
  const of = (edit: (schema: z.ZodType, name: string) => z.ZodType) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, schema]) => [name, edit(schema as z.ZodType, name)]),
    );
  const defaultOf = (name: string) => defaults[name as Given];
  return {
    input: z.strictObject(
      of((schema, name) =>
        hasDefault(name)
          ? (defaultOf(name) === null
              ? schema
              : schema.meta({ ...schema.meta(), default: defaultOf(name) })
            ).exactOptional()
          : schema,
      ),
    ),
    patch: z
      .strictObject(of((schema, name) => (hasDefault(name) ? schema.nullable() : schema).exactOptional()))
      .refine((patch) => Object.keys(patch).length > 0, 'give at least one member')
      .meta({ minProperties: 1 }),
    complete: (input: object) => ({ ...defaults, ...input }),
    changed: (patch: object) =>
      Object.fromEntries(
        Object.entries(patch).map(([name, value]) => [
          name,
          value === null ? (defaultOf(name) ?? null) : value,
        ]),
      ),
  } as unknown as Resource<Fields, Given>;
}

/** All members are there: what may be missing is null. */
export function view<Fields extends Shape>(fields: Fields): z.ZodObject<Fields, z.core.$strict> {
  return z.strictObject(fields);
}

/** RFC 3339 in UTC. The library's own pattern of 300 characters says no more. */
export const dateTime = z.string().meta({ format: 'date-time', example: '2026-11-22T09:03:11.402Z' });
