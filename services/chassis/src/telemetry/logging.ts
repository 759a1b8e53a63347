import { context, createContextKey, isSpanContextValid, trace } from '@opentelemetry/api';
import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import pino from 'pino';
import { loggable } from './loggable';
import { redactSecrets } from './redaction';

export type Logger = pino.Logger;

/** Options of a logger. */
export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Absent: standard output. */
  readonly file?: string;
}

// Written in blocks, so that a line costs no system call; a quiet process still writes its lines
// soon.
const blockBytes = 4096;
const flushEveryMs = 200;

const requestIdKey = createContextKey('request id');

type MakeChild = (this: Logger, bindings: object, options?: object) => Logger;
type Destination = ReturnType<typeof pino.destination>;

// Lines that wait for the disk; more are dropped.
const waitingBytesMax = 1024 * 1024;

// All loggers of a process with the same destination share its buffer; otherwise their lines would
// mix.
const destinations = new Map<string, Destination>();

/**
 * Creates a logger of JSON lines with the ids of the running trace and request. Secrets and bodies
 * are removed.
 */
export function createLogger({ service, level, file }: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: loggable,
      },
      mixin: correlation,
      // Errors are plain objects by then; the default would serialize them again.
      serializers: { err: (error: unknown) => error },
      hooks: { streamWrite: redactSecrets },
    },
    destinationOf(file),
  );
  // pino writes the fields of a child as they are, so they are prepared here; children of children
  // inherit this. pino's own type of `child` cannot be named.
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its logger
  const inherited: unknown = logger.child;
  const makeChild = inherited as MakeChild;
  Reflect.set(logger, 'child', function (this: Logger, bindings: pino.Bindings, options?: object) {
    return makeChild.call(this, loggable(bindings), options);
  });
  return logger;
}

/** Runs `fn`; everything that it logs, at any depth, has the request's id. */
export function withRequestId<T>(requestId: string, fn: () => T): T {
  return context.with(context.active().setValue(requestIdKey, requestId), fn);
}

let dropped = 0;

/** Number of log lines that this process could not write since its start. */
export function droppedLogLines(): number {
  return dropped;
}

function destinationOf(file: string | undefined): Destination {
  const key = file ?? '';
  const existing = destinations.get(key);
  if (existing !== undefined) return existing;
  if (file !== undefined) mkdirSync(dirname(file), { recursive: true });
  const destination = pino.destination({
    // Opened synchronously: a process that fails early could not write its last lines to a file
    // that is still being opened.
    fd: file === undefined ? 1 : openSync(file, 'a', 0o600),
    sync: false,
    minLength: blockBytes,
    periodicFlush: flushEveryMs,
    maxLength: waitingBytesMax,
  });
  // A full disk does not end the process: lines are written again at the next flush, and lines over
  // the bound are dropped and counted.
  destination.on('error', () => undefined);
  destination.on('drop', () => {
    dropped += 1;
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
