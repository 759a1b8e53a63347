// Content from callers, and credentials. Compared in lower case, without - and _.
const neverLogged = new Set([
  'authorization',
  'apikey',
  'body',
  'cardnumber',
  'cookie',
  'cvc',
  'password',
  'rawbody',
  'requestbody',
  'responsebody',
  'secret',
  'setcookie',
]);

// pino prints no deeper levels.
const depthMax = 5;
const causesMax = 5;

/**
 * Prepares fields for a log line: removes bodies and secrets, and converts errors to plain objects
 * with their causes.
 */
export function loggable(fields: Record<string, unknown>): Record<string, unknown> {
  return censorFields(fields, 0);
}

function censorFields(fields: object, depth: number): Record<string, unknown> {
  const censored: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    censored[name] = isNeverLogged(name) ? '[redacted]' : censor(value, depth + 1);
  }
  return censored;
}

function isNeverLogged(name: string): boolean {
  return neverLogged.has(name) || neverLogged.has(name.toLowerCase().replace(/[-_]/g, ''));
}

function censor(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return serializeError(value, 0);
  if (ArrayBuffer.isView(value)) return `[${String(value.byteLength)} bytes]`;
  if ('toJSON' in value || depth > depthMax) return value;
  if (Array.isArray(value)) return value.map((item) => censor(item, depth + 1));
  return censorFields(value, depth);
}

// Only fields known to be harmless: errors of the database contain whole documents.
function serializeError(error: unknown, depth: number): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const { code, kind, reason } = error as { code?: unknown; kind?: unknown; reason?: unknown };
  const goesDeeper = depth < causesMax;
  return {
    type: name,
    message,
    ...(isPlain(code) && { code }),
    ...(isPlain(kind) && { kind }),
    ...(isPlain(reason) && { reason }),
    stack,
    ...(cause !== undefined && goesDeeper && { cause: serializeError(cause, depth + 1) }),
    ...(error instanceof AggregateError &&
      goesDeeper && { errors: error.errors.map((one) => serializeError(one, depth + 1)) }),
  };
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
