import type { operations } from './gen/api';
import type { operationPaths } from './gen/operations';
import type { List, SomeItems } from './pages';
import type { CallOptions, ResponseInfo } from './transport';

type Paths = typeof operationPaths;
type Operation<Id extends keyof Paths> = Id extends keyof operations ? operations[Id] : never;

/** One text for each parameter in a path. */
type PathArguments<Path> = Path extends `${string}{${string}}${infer Rest}`
  ? [id: string, ...PathArguments<Rest>]
  : [];

type JsonBody<Request> = Request extends { content: { 'application/json': infer Body } }
  ? Body
  : never;

type Query<Parameters> = Parameters extends { query?: infer Query } ? NonNullable<Query> : never;

/** A body, a query, or neither. An optional one may be left out. */
type Input<Spec> = Spec extends { requestBody: infer Request }
  ? [body: JsonBody<Request>]
  : Spec extends { requestBody?: infer Request }
    ? [JsonBody<NonNullable<Request>>] extends [never]
      ? QueryInput<Spec>
      : [body?: JsonBody<NonNullable<Request>>]
    : QueryInput<Spec>;

type QueryInput<Spec> = Spec extends { parameters: infer Parameters }
  ? [Query<Parameters>] extends [never]
    ? []
    : [query?: Query<Parameters>]
  : [];

type Content<Answer> = Answer extends { content: infer Media }
  ? Media extends { 'application/json': infer Body }
    ? Body
    : Uint8Array
  : undefined;

type Answers<Spec> = Spec extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: Status extends 200 | 201 | 202 | 204 ? Responses[Status] : never;
    }[keyof Responses]
  : never;

/**
 * Enums accept values that a later release adds: a text that is not listed is no error of types.
 */
type Open<T> = T extends string
  ? string extends T
    ? T
    : T | (string & {})
  : T extends readonly (infer Item)[]
    ? Open<Item>[]
    : T extends object
      ? { [Key in keyof T]: Open<T[Key]> }
      : T;

/** A result and its response. */
type Result<T> = T extends object ? T & { readonly response: ResponseInfo } : T;

type Returned<Id, T> = Id extends `list${string}`
  ? T extends SomeItems<infer Item>
    ? List<Item, Result<T>>
    : never
  : Promise<Result<T>>;

/** The method that calls an operation. */
export type Method<Id extends keyof Paths> = (
  ...input: [...PathArguments<Paths[Id]['path']>, ...Input<Operation<Id>>, options?: CallOptions]
) => Returned<Id, Open<Content<Answers<Operation<Id>>>>>;
