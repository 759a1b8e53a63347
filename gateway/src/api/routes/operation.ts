import { z } from 'zod';
import type { ErrorCode } from './error-codes';

/** Media types of responses that are not JSON. */
type MediaType =
  'application/pdf' | 'application/x-ndjson' | 'application/xml' | 'application/zip' | 'text/csv';

/** Headers of exports. */
type ExportHeader = 'Export-Position' | 'Trailer';

/** Description of a route in the API document. */
export interface Operation {
  /** Unique id, a verb and its object: `createCustomer`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Schemas of path parameters that are no ids. */
  readonly params?: Readonly<Record<string, z.ZodType>>;
  /** The schema that reads the body. */
  readonly body?: z.ZodType;
  /** The schema that reads the query. */
  readonly query?: z.ZodObject;
  readonly answer: {
    readonly status: 200 | 201 | 202 | 204;
    /** Schema of a JSON body, if any. */
    readonly schema?: z.ZodType;
    /** Media types of a body that is not JSON. */
    readonly mediaTypes?: readonly MediaType[];
    /** Headers of the response in addition to the usual ones. */
    readonly headers?: readonly ExportHeader[];
    /** True if the header `ETag` carries the version. */
    readonly isVersioned?: boolean;
    /** True if the body lets its reader sign in: it is not stored for a retry. */
    readonly isCredential?: boolean;
  };
  /** Errors in addition to those that every operation may return. */
  readonly errors?: readonly ErrorCode[];
}

/** True if the response of a route contains a secret, which must not be stored. */
export function answersSecret({ answer }: Operation): boolean {
  const fields = answer.schema instanceof z.ZodObject ? Object.keys(answer.schema.shape) : [];
  return fields.includes('key') || fields.includes('secret');
}
