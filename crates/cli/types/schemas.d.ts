// Types of the schema libraries Toolsmith brings along, as far as tools use them. Written by `toolsmith types`; do not
// edit, it is replaced. Where `zod` or `@sinclair/typebox` is installed, its own types are used instead.

declare module "zod*" {
  export type infer<S> = S extends { _zod: { output: infer Output } } ? Output : never;
  export type output<S> = S extends { _zod: { output: infer Output } } ? Output : never;
  export type input<S> = S extends { _zod: { input: infer Input } } ? Input : never;

  export interface Issue {
    path: PropertyKey[];
    message: string;
    code?: string;
    [field: string]: any;
  }
  export interface ZodError extends Error {
    issues: Issue[];
  }
  export type SafeParseResult<T> = { success: true; data: T; error?: undefined } | { success: false; error: ZodError; data?: undefined };
  export type Message = string | { message?: string; error?: string; path?: PropertyKey[]; [field: string]: any };

  export interface ZodType<Output = any, Input = Output> {
    readonly _zod: { output: Output; input: Input };
    readonly description?: string;
    parse(value: unknown): Output;
    parseAsync(value: unknown): Promise<Output>;
    safeParse(value: unknown): SafeParseResult<Output>;
    safeParseAsync(value: unknown): Promise<SafeParseResult<Output>>;
    optional(): ZodOptional<this>;
    nullable(): ZodType<Output | null, Input | null>;
    nullish(): ZodOptional<ZodType<Output | null, Input | null>>;
    default(value: Output | (() => Output)): ZodDefault<Output, Input>;
    prefault(value: Input | (() => Input)): ZodDefault<Output, Input>;
    catch(value: Output | (() => Output)): ZodType<Output, Input>;
    describe(description: string): this;
    meta(meta: Record<string, unknown>): this;
    refine(check: (value: Output) => unknown, message?: Message): this;
    superRefine(check: (value: Output, ctx: any) => unknown): this;
    check(...checks: any[]): this;
    transform<T>(change: (value: Output, ctx: any) => T | Promise<T>): ZodType<Awaited<T>, Input>;
    pipe<T>(next: ZodType<T, any>): ZodType<T, Input>;
    array(): ZodArray<this>;
    or<T extends ZodType>(other: T): ZodType<Output | output<T>, Input | input<T>>;
    and<T extends ZodType>(other: T): ZodType<Output & output<T>, Input & input<T>>;
    brand<B extends PropertyKey>(brand?: B): this;
    readonly(): ZodType<Output, Input>;
    isOptional(): boolean;
    isNullable(): boolean;
  }
  export type ZodTypeAny = ZodType<any, any>;
  export interface ZodOptional<S extends ZodType<any, any>> extends ZodType<output<S> | undefined, input<S> | undefined> {
    readonly isOptionalInput: true;
    readonly isOptionalOutput: true;
    unwrap(): S;
  }
  export interface ZodDefault<Output, Input> extends ZodType<Output, Input | undefined> {
    readonly isOptionalInput: true;
  }

  export interface ZodString extends ZodType<string> {
    min(length: number, message?: Message): this;
    max(length: number, message?: Message): this;
    length(length: number, message?: Message): this;
    nonempty(message?: Message): this;
    regex(pattern: RegExp, message?: Message): this;
    startsWith(text: string, message?: Message): this;
    endsWith(text: string, message?: Message): this;
    includes(text: string, message?: Message): this;
    trim(): this;
    toLowerCase(): this;
    toUpperCase(): this;
    normalize(form?: string): this;
    email(message?: Message): this;
    url(message?: Message): this;
    uuid(message?: Message): this;
    datetime(options?: any): this;
    date(message?: Message): this;
    time(message?: Message): this;
    ip(message?: Message): this;
    base64(message?: Message): this;
  }
  export interface ZodNumber extends ZodType<number> {
    int(message?: Message): this;
    min(value: number, message?: Message): this;
    max(value: number, message?: Message): this;
    gt(value: number, message?: Message): this;
    gte(value: number, message?: Message): this;
    lt(value: number, message?: Message): this;
    lte(value: number, message?: Message): this;
    positive(message?: Message): this;
    nonnegative(message?: Message): this;
    negative(message?: Message): this;
    nonpositive(message?: Message): this;
    multipleOf(value: number, message?: Message): this;
    finite(message?: Message): this;
    safe(message?: Message): this;
  }
  export interface ZodArray<S extends ZodType<any, any>> extends ZodType<output<S>[], input<S>[]> {
    readonly element: S;
    min(length: number, message?: Message): this;
    max(length: number, message?: Message): this;
    length(length: number, message?: Message): this;
    nonempty(message?: Message): this;
  }
  export interface ZodEnum<Values extends string | number> extends ZodType<Values> {
    readonly options: Values[];
    readonly enum: Record<string, Values>;
    extract(values: readonly Values[]): ZodEnum<Values>;
    exclude(values: readonly Values[]): ZodEnum<Values>;
  }

  export type Shape = Record<string, ZodType<any, any>>;
  export type Flat<T> = { [K in keyof T]: T[K] };
  export type OutputOf<S> = Flat<
    { [K in keyof S as S[K] extends { isOptionalOutput: true } ? never : K]: output<S[K]> } & {
      [K in keyof S as S[K] extends { isOptionalOutput: true } ? K : never]?: output<S[K]>;
    }
  >;
  export type InputOf<S> = Flat<
    { [K in keyof S as S[K] extends { isOptionalInput: true } ? never : K]: input<S[K]> } & {
      [K in keyof S as S[K] extends { isOptionalInput: true } ? K : never]?: input<S[K]>;
    }
  >;
  export interface ZodObject<S extends Shape = Shape> extends ZodType<OutputOf<S>, InputOf<S>> {
    readonly shape: S;
    extend<T extends Shape>(shape: T): ZodObject<Flat<Omit<S, keyof T> & T>>;
    safeExtend<T extends Shape>(shape: T): ZodObject<Flat<Omit<S, keyof T> & T>>;
    merge<T extends Shape>(other: ZodObject<T>): ZodObject<Flat<Omit<S, keyof T> & T>>;
    pick<K extends keyof S>(keys: { [key in K]: true }): ZodObject<Pick<S, K>>;
    omit<K extends keyof S>(keys: { [key in K]: true }): ZodObject<Omit<S, K>>;
    partial(): ZodObject<{ [K in keyof S]: ZodOptional<S[K]> }>;
    required(): ZodObject<S>;
    strict(message?: Message): this;
    strip(): this;
    loose(): this;
    passthrough(): this;
    catchall(schema: ZodType): this;
    keyof(): ZodEnum<Extract<keyof S, string>>;
  }
  export type Members<T extends readonly ZodType<any, any>[]> = T[number];

  export function string(message?: Message): ZodString;
  export function number(message?: Message): ZodNumber;
  export function int(message?: Message): ZodNumber;
  export function boolean(message?: Message): ZodType<boolean>;
  export function bigint(message?: Message): ZodType<bigint>;
  export function date(message?: Message): ZodType<Date>;
  export function any(): ZodType<any>;
  export function unknown(): ZodType<unknown>;
  export function never(): ZodType<never>;
  export function undefined(): ZodType<undefined>;
  export function email(message?: Message): ZodString;
  export function url(message?: Message): ZodString;
  export function uuid(message?: Message): ZodString;
  export function json(): ZodType<any>;
  export function literal<const T extends string | number | boolean | null | undefined | bigint>(value: T | readonly T[]): ZodType<T>;
  export function array<S extends ZodType<any, any>>(element: S, message?: Message): ZodArray<S>;
  export function tuple<const T extends readonly ZodType<any, any>[]>(items: T): ZodType<{ -readonly [K in keyof T]: output<T[K]> }>;
  export function object<S extends Shape>(shape: S, message?: Message): ZodObject<S>;
  export function strictObject<S extends Shape>(shape: S, message?: Message): ZodObject<S>;
  export function looseObject<S extends Shape>(shape: S, message?: Message): ZodObject<S>;
  export function record<K extends ZodType<any, any>, V extends ZodType<any, any>>(keys: K, values: V): ZodType<Record<Extract<output<K>, PropertyKey>, output<V>>>;
  export function map<K extends ZodType<any, any>, V extends ZodType<any, any>>(keys: K, values: V): ZodType<Map<output<K>, output<V>>>;
  export function set<V extends ZodType<any, any>>(values: V): ZodType<Set<output<V>>>;
  export function union<const T extends readonly ZodType<any, any>[]>(options: T): ZodType<output<Members<T>>, input<Members<T>>>;
  export function discriminatedUnion<const T extends readonly ZodType<any, any>[]>(key: string, options: T): ZodType<output<Members<T>>, input<Members<T>>>;
  export function intersection<A extends ZodType<any, any>, B extends ZodType<any, any>>(a: A, b: B): ZodType<output<A> & output<B>>;
  export function optional<S extends ZodType<any, any>>(schema: S): ZodOptional<S>;
  export function nullable<S extends ZodType<any, any>>(schema: S): ZodType<output<S> | null>;
  export function lazy<S extends ZodType<any, any>>(make: () => S): S;
  export function preprocess<S extends ZodType<any, any>>(change: (value: unknown) => unknown, schema: S): ZodType<output<S>, unknown>;
  export function custom<T>(check?: (value: any) => unknown, message?: Message): ZodType<T>;
  export function nativeEnum<T extends Record<string, string | number>>(values: T): ZodEnum<T[keyof T]>;
  export function toJSONSchema(schema: ZodType<any, any>, options?: any): any;
  export function prettifyError(error: ZodError): string;
  export const coerce: { string(): ZodString; number(): ZodNumber; boolean(): ZodType<boolean>; bigint(): ZodType<bigint>; date(): ZodType<Date> };
  export const iso: Record<"date" | "time" | "datetime" | "duration", (options?: any) => ZodString>;
  function enumOf<const T extends readonly string[]>(values: T, message?: Message): ZodEnum<T[number]>;
  function enumOf<T extends Record<string, string | number>>(values: T, message?: Message): ZodEnum<T[keyof T]>;
  function nullOf(): ZodType<null>;
  export { enumOf as enum, nullOf as null };
  export * as z from "zod";
  const whole: typeof import("zod");
  export default whole;
}

declare module "@sinclair/typebox*" {
  export interface TSchema {
    static: unknown;
    [keyword: string]: any;
  }
  export type Static<S> = S extends { static: infer Output } ? Output : never;

  interface Typed<T> extends TSchema {
    static: T;
  }
  interface Optional<S extends TSchema> extends Typed<S["static"]> {
    isOptional: true;
  }
  type Properties = Record<string, TSchema>;
  type Flat<T> = { [K in keyof T]: T[K] };
  type ObjectOf<P> = Flat<
    { [K in keyof P as P[K] extends { isOptional: true } ? never : K]: Static<P[K]> } & {
      [K in keyof P as P[K] extends { isOptional: true } ? K : never]?: Static<P[K]>;
    }
  >;
  export interface TObject<P extends Properties = Properties> extends Typed<ObjectOf<P>> {
    properties: P;
  }
  export type TString = Typed<string>;
  export type TNumber = Typed<number>;
  export type TInteger = Typed<number>;
  export type TBoolean = Typed<boolean>;
  export type TArray<S extends TSchema = TSchema> = Typed<S["static"][]>;
  export type TOptional<S extends TSchema> = Optional<S>;
  interface Options {
    title?: string;
    description?: string;
    default?: unknown;
    examples?: unknown;
    [keyword: string]: any;
  }

  interface TypeBuilder {
    Object<P extends Properties>(properties: P, options?: Options): TObject<P>;
    String(options?: Options): TString;
    Number(options?: Options): TNumber;
    Integer(options?: Options): TInteger;
    Boolean(options?: Options): TBoolean;
    Null(options?: Options): Typed<null>;
    Any(options?: Options): Typed<any>;
    Unknown(options?: Options): Typed<unknown>;
    Never(options?: Options): Typed<never>;
    Literal<const T extends string | number | boolean>(value: T, options?: Options): Typed<T>;
    Array<S extends TSchema>(items: S, options?: Options): TArray<S>;
    Tuple<const T extends readonly TSchema[]>(items: T, options?: Options): Typed<{ -readonly [K in keyof T]: Static<T[K]> }>;
    Union<const T extends readonly TSchema[]>(options: T, more?: Options): Typed<Static<T[number]>>;
    Intersect<const T extends readonly TSchema[]>(parts: T, more?: Options): Typed<any>;
    Composite<const T extends readonly TSchema[]>(parts: T, more?: Options): Typed<any>;
    Optional<S extends TSchema>(schema: S): Optional<S>;
    Readonly<S extends TSchema>(schema: S): S;
    Record<K extends TSchema, V extends TSchema>(keys: K, values: V, options?: Options): Typed<Record<Extract<Static<K>, PropertyKey>, Static<V>>>;
    Enum<T extends Record<string, string | number>>(values: T, options?: Options): Typed<T[keyof T]>;
    Partial<P extends Properties>(schema: TObject<P>, options?: Options): TObject<{ [K in keyof P]: Optional<P[K]> }>;
    Required<P extends Properties>(schema: TObject<P>, options?: Options): TObject<P>;
    Pick<P extends Properties, K extends keyof P>(schema: TObject<P>, keys: readonly K[], options?: Options): TObject<Pick<P, K>>;
    Omit<P extends Properties, K extends keyof P>(schema: TObject<P>, keys: readonly K[], options?: Options): TObject<Omit<P, K>>;
    KeyOf(schema: TSchema, options?: Options): Typed<string>;
    Recursive(make: (self: TSchema) => TSchema, options?: Options): Typed<any>;
    Ref(...of: any[]): Typed<any>;
    Not(schema: TSchema, options?: Options): Typed<any>;
    Unsafe<T = unknown>(schema?: Options): Typed<T>;
    Date(options?: Options): Typed<Date>;
    [name: string]: any;
  }
  export const Type: TypeBuilder;
}

declare module "typebox*" {
  export * from "@sinclair/typebox";
}

// Values against schemas.
declare module "@sinclair/typebox/*" {
  export const Value: any;
  export const ValuePointer: any;
  export const TypeCompiler: any;
  export const TypeGuard: any;
  export const FormatRegistry: any;
  export const TypeRegistry: any;
}
declare module "typebox/*" {
  export const Value: any;
  export const TypeCompiler: any;
  export function Compile(schema: unknown): any;
}
