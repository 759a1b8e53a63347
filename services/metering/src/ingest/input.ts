import { Decimal, DECIMAL_PLACES_MAX } from '@billing/kernel/decimal';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { controlCharacterProblem, hasControlCharacter } from '@billing/kernel/input-problems';
import { propertyLengthMax } from '@billing/kernel/input/meter';
import { plainDecimal } from '@billing/kernel/plain-decimal';
import { UNITS_MAX } from '@billing/kernel/units';

/** Events in a batch. */
export const eventsMax = 1000;
const textLengthMax = 255;
const propertiesMax = 20;
const propertyTextLengthMax = 1000;
// More would make the response as long as the request.
const problemsMax = 20;
const ignoredMax = 20;

type Scalar = string | number | boolean | null;

/** An event as sent by the caller. */
export interface EventInput {
  readonly customerId: string | undefined;
  /** Used if there is no customerId. */
  readonly externalCustomerId: string | undefined;
  readonly meterId: string;
  /** Canonical decimal string. */
  readonly quantity: string;
  readonly isNegative: boolean;
  readonly timestamp: Date | undefined;
  readonly eventId: string | undefined;
  readonly properties: Readonly<Record<string, Scalar>> | undefined;
}

/** A batch as sent by the caller. */
export interface IngestInput {
  readonly events: readonly EventInput[];
  /** Paths of unknown fields. */
  readonly ignoredFields: readonly string[];
}

/**
 * Reads a parsed body: `{"events":[…]}` or a bare array. Any wrong shape refuses the whole batch.
 * `exactQuantities` holds the original text of quantities that lost digits as numbers.
 */
export function readIngestInput(
  body: unknown,
  exactQuantities?: ReadonlyMap<object, string>,
): IngestInput {
  const ignoredFields: string[] = [];
  const isBare = Array.isArray(body);
  const sent: unknown = isBare ? body : eventsOf(body, ignoredFields);
  if (sent === undefined || sent === null) throw invalidInput({ events: ['Required'] });
  if (!Array.isArray(sent)) throw invalidInput({ events: ['Must be an array'] });
  if (sent.length === 0) throw invalidInput({ events: ['Must have at least 1 element'] });
  if (sent.length > eventsMax) {
    throw invalidInput({ events: [`Must have at most ${String(eventsMax)} elements`] });
  }
  const reader = new EventReader({
    prefix: isBare ? '' : 'events.',
    ignoredFields,
    exactQuantities,
  });
  const events = sent.map((event, index) => reader.read(event, index));
  if (reader.problems.length > 0) throw invalidInput({ events: reader.problems });
  return { events, ignoredFields };
}

function eventsOf(body: unknown, ignoredFields: string[]): unknown {
  if (!isObject(body)) {
    throw new DomainError('invalid_input', 'INVALID_REQUEST', 'Body must be a JSON object');
  }
  for (const name of Object.keys(body)) {
    if (name !== 'events' && ignoredFields.length < ignoredMax) ignoredFields.push(name);
  }
  return body.events;
}

// Ids that the caller chooses. Any other malformed id gets the same error as an unknown one.
const ownIds = new Set(['externalCustomerId', 'eventId']);

const knownFields = new Set([
  'customerId',
  'externalCustomerId',
  'meterId',
  'quantity',
  'timestamp',
  'eventId',
  'properties',
]);

class EventReader {
  readonly problems: string[] = [];

  constructor(
    private readonly batch: {
      readonly prefix: string;
      readonly ignoredFields: string[];
      readonly exactQuantities: ReadonlyMap<object, string> | undefined;
    },
  ) {}

  read(event: unknown, index: number): EventInput {
    if (!isObject(event)) {
      this.refuse(String(index), 'Must be an object');
      return blankEvent;
    }
    for (const name in event) if (!knownFields.has(name)) this.ignore(index, name);
    const customerId = this.text(event.customerId, index, 'customerId');
    const externalCustomerId = this.text(event.externalCustomerId, index, 'externalCustomerId');
    const meterId = this.text(event.meterId, index, 'meterId');
    if (isAbsent(event.customerId) && isAbsent(event.externalCustomerId)) {
      this.refuse(`${String(index)}.customerId`, 'Required');
    }
    if (isAbsent(event.meterId)) this.refuse(`${String(index)}.meterId`, 'Required');
    const sent = this.batch.exactQuantities?.get(event) ?? event.quantity;
    const quantity = this.quantity(sent, index) ?? '0';
    return {
      customerId,
      externalCustomerId,
      meterId: meterId ?? '',
      quantity,
      isNegative: quantity.startsWith('-'),
      timestamp: this.time(event.timestamp, index),
      eventId: this.text(event.eventId, index, 'eventId'),
      properties: this.properties(event.properties, index),
    };
  }

  private text(value: unknown, index: number, field: string): string | undefined {
    if (isAbsent(value)) return undefined;
    const path = `${String(index)}.${field}`;
    if (typeof value !== 'string') this.refuse(path, 'Must be a string');
    else if (value.length === 0) this.refuse(path, 'Must be at least 1 character');
    else if (value.length > textLengthMax) {
      this.refuse(path, `Must be at most ${String(textLengthMax)} characters`);
    } else if (!value.isWellFormed()) this.refuse(path, 'Must be Unicode text');
    else if (ownIds.has(field) && hasControlCharacter(value)) {
      this.refuse(path, controlCharacterProblem);
    } else return value;
    return undefined;
  }

  /** Returns the canonical form. */
  private quantity(value: unknown, index: number): string | undefined {
    if (isAbsent(value)) return '1';
    if (typeof value === 'string' && canonicalUnits.test(value)) return value;
    const path = `${String(index)}.quantity`;
    if (typeof value !== 'number' && typeof value !== 'string') {
      this.refuse(path, 'Must be a number or a decimal string');
      return undefined;
    }
    if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
      this.refuse(path, `Must be at most ${String(Number.MAX_SAFE_INTEGER)}`);
      return undefined;
    }
    const text = typeof value === 'number' ? plainDecimal(String(value)) : value;
    if (canonicalUnits.test(text)) return text;
    if (!decimalPattern.test(text)) {
      this.refuse(path, 'Invalid decimal');
      return undefined;
    }
    const quantity = Decimal.parse(text, 'quantity');
    if (quantity.compare(UNITS_MAX) <= 0 && quantity.compare(unitsMin) >= 0) {
      return quantity.toString();
    }
    this.refuse(path, `Must be at most ${UNITS_MAX.toString()}`);
    return undefined;
  }

  private time(value: unknown, index: number): Date | undefined {
    if (isAbsent(value)) return undefined;
    const time = typeof value === 'string' ? timeIn(value) : undefined;
    if (time === undefined) this.refuse(`${String(index)}.timestamp`, 'Invalid datetime');
    return time;
  }

  private properties(value: unknown, index: number): Record<string, Scalar> | undefined {
    if (isAbsent(value)) return undefined;
    const path = `${String(index)}.properties`;
    if (!isObject(value)) {
      this.refuse(path, 'Must be an object');
      return undefined;
    }
    const names = Object.keys(value);
    if (names.length > propertiesMax) {
      this.refuse(path, `Must have at most ${String(propertiesMax)} keys`);
    }
    for (const name of names) {
      const problem = nameProblem(name) ?? scalarProblem(value[name]);
      if (problem !== undefined) this.refuse(`${path}.${name.slice(0, 40)}`, problem);
    }
    return value as Record<string, Scalar>;
  }

  private refuse(path: string, problem: string): void {
    if (this.problems.length < problemsMax) this.problems.push(`${path}: ${problem}`);
  }

  private ignore(index: number, name: string): void {
    const { prefix, ignoredFields } = this.batch;
    if (ignoredFields.length < ignoredMax) ignoredFields.push(`${prefix}${String(index)}.${name}`);
  }
}

const unitsMin = Decimal.of(-UNITS_MAX.unscaled);
const blankEvent: EventInput = {
  customerId: undefined,
  externalCustomerId: undefined,
  meterId: '',
  quantity: '0',
  isNegative: false,
  timestamp: undefined,
  eventId: undefined,
  properties: undefined,
};

const decimalPattern = new RegExp(
  `^-?(0|[1-9]\\d{0,31})(\\.\\d{1,${String(DECIMAL_PLACES_MAX)}})?$`,
);

// Fast path for nearly all input: canonical, above 0 and below every limit, so arithmetic would
// return it unchanged.
const canonicalUnits = /^[1-9]\d{0,14}(?:\.\d{0,11}[1-9])?$/;

const timePattern =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
// Every month has at least this many days.
const daysOfAnyMonth = 28;

/** ISO 8601 with a zone, on a valid calendar day. */
function timeIn(text: string): Date | undefined {
  if (!timePattern.test(text)) return undefined;
  const day = Number(text.slice(8, 10));
  if (day > daysOfAnyMonth && !isDay(Number(text.slice(0, 4)), Number(text.slice(5, 7)), day)) {
    return undefined;
  }
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && day === 29 ? isLeap : day <= (daysOfMonth[month - 1] ?? 0);
}

function nameProblem(name: string): string | undefined {
  // An assignment to this key would silently drop the value.
  if (name === '__proto__') return 'Key is reserved';
  if (name.length === 0 || name.length > propertyLengthMax) {
    return `Key must be 1 to ${String(propertyLengthMax)} characters`;
  }
  return name.isWellFormed() ? undefined : 'Must be Unicode text';
}

function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      if (value.length > propertyTextLengthMax) {
        return `Must be at most ${String(propertyTextLengthMax)} characters`;
      }
      return value.isWellFormed() ? undefined : 'Must be Unicode text';
    case 'number':
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? undefined : 'Number out of range';
    case 'boolean':
      return undefined;
    default:
      return value === null ? undefined : 'Must be a string, number, boolean or null';
  }
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
