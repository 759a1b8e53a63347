import type { z } from 'zod';
import type { ErrorCode } from './error-codes';

/** What a route says of itself for the description of the API. */
export interface Operation {
  /** Unique, a verb and its object: `createCustomer`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** The schema that reads the body. */
  readonly body?: z.ZodType;
  /** The schema that reads the query. */
  readonly query?: z.ZodObject;
  readonly answer: {
    readonly status: 200 | 201 | 202 | 204;
    /** Of JSON. Absent: no body, or one of another type. */
    readonly schema?: z.ZodType;
    /** Of a body that is no JSON. */
    readonly mediaType?: 'application/pdf';
    /** Its version is in the header `ETag`. */
    readonly isVersioned?: boolean;
  };
  /** What may go wrong beside that which may go wrong with every operation. */
  readonly errors?: readonly ErrorCode[];
}
