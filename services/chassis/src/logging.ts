import { context, createContextKey, isSpanContextValid, trace } from '@opentelemetry/api';
import pino from 'pino';
import { redactSecrets } from './redaction';

export type Logger = pino.Logger;

/** What a logger is made of. */
export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Standard output when absent. */
  readonly file?: string;
}

// Written in blocks, so that a line costs no system call; a quiet process still writes its lines soon.
const blockBytes = 4096;
const flushEveryMs = 200;

const requestIdKey = createContextKey('request id');

const fieldsNeverLogged = ['authorization', 'cookie', 'body', 'secret', 'apiKey', 'cardNumber'];
const causesMax = 5;

type Destination = ReturnType<typeof pino.destination>;

// All loggers of a process that write to one place share its buffer, or their lines would mix.
const destinations = new Map<string, Destination>();

/** A logger of JSON lines with the ids of the running trace and request. Secrets and bodies never appear in them. */
export function createLogger({ service, level, file }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: correlation,
      serializers: { err: serializeError },
      redact: {
        paths: fieldsNeverLogged.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[redacted]',
      },
      hooks: { streamWrite: redactSecrets },
    },
    destinationOf(file),
  );
}

/** Runs `fn` so that what it logs, however deep, carries the request's id. */
export function withRequestId<T>(requestId: string, fn: () => T): T {
  return context.with(context.active().setValue(requestIdKey, requestId), fn);
}

function destinationOf(file: string | undefined): Destination {
  const key = file ?? '';
  const existing = destinations.get(key);
  if (existing !== undefined) return existing;
  const destination = pino.destination({
    dest: file ?? 1,
    mkdir: true,
    sync: false,
    minLength: blockBytes,
    periodicFlush: flushEveryMs,
  });
  destinations.set(key, destination);
  return destination;
}

function correlation(): object {
  const fields: Record<string, unknown> = {};
  const active = context.active();
  const spanContext = trace.getSpan(active)?.spanContext();
  if (spanContext !== undefined && isSpanContextValid(spanContext)) {
    fields.trace_id = spanContext.traceId;
    fields.span_id = spanContext.spanId;
  }
  const requestId = active.getValue(requestIdKey);
  if (requestId !== undefined) fields.request_id = requestId;
  return fields;
}

// Only fields known to be harmless: errors of the database carry whole documents.
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const { code, kind, reason } = error as { code?: unknown; kind?: unknown; reason?: unknown };
  return {
    type: name,
    message,
    ...(isPlain(code) && { code }),
    ...(isPlain(kind) && { kind }),
    ...(isPlain(reason) && { reason }),
    stack,
    ...(cause !== undefined && depth < causesMax && { cause: serializeError(cause, depth + 1) }),
    ...(error instanceof AggregateError &&
      depth < causesMax && { errors: error.errors.map((one) => serializeError(one, depth + 1)) }),
  };
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
