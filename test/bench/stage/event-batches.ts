import { randomBytes } from 'node:crypto';

/** Size, customers and meters of a batch. */
export interface BatchShape {
  readonly size: number;
  readonly customerIds: readonly string[];
  readonly meterIds: readonly string[];
  /** Every tenth event repeats an earlier one, and every hundredth has an unknown customer. */
  readonly isDirty?: boolean;
}

const numberWidth = 9;
const placeWidth = 3;
const repeatedEvery = 10;
const unknownEvery = 100;
const unknownAt = 5;
const unknownCustomerId = '00000000-0000-7000-8000-000000000000';

/**
 * Builds batches of usage events as fast as they can be sent: one text in which only a number and a
 * time differ between batches.
 */
export class EventBatches {
  private readonly body: Buffer;
  /** Offsets of the batch number in the id of each new event, and of its time. */
  private readonly places: { readonly number: number; readonly time: number }[] = [];

  constructor(shape: BatchShape, now: Date) {
    const run = randomBytes(6).toString('hex');
    const time = now.toISOString();
    const texts = Array.from({ length: shape.size }, (_, place) =>
      JSON.stringify(eventAt(place, { shape, run, time })),
    );
    this.body = Buffer.from(`{"events":[${texts.join(',')}]}`);
    let from = 0;
    for (let place = 0; place < shape.size; place += 1) {
      const ofTime = this.body.indexOf(time, from);
      from = this.body.indexOf(`${run}-`, ofTime) + run.length + 1;
      if (!isRepeated(place, shape)) this.places.push({ number: from, time: ofTime });
    }
  }

  /** The bytes of one batch at `now`. No two numbers share an event, except repeated ones. */
  batch(number: number, now: Date): Buffer {
    const body = Buffer.from(this.body);
    const digits = Buffer.from(String(number).padStart(numberWidth, '0'));
    const time = Buffer.from(now.toISOString());
    for (const place of this.places) {
      digits.copy(body, place.number);
      time.copy(body, place.time);
    }
    return body;
  }
}

function eventAt(
  place: number,
  { shape, run, time }: { shape: BatchShape; run: string; time: string },
): object {
  const { customerIds, meterIds, isDirty = false } = shape;
  const isUnknown = isDirty && place % unknownEvery === unknownAt;
  return {
    customerId: isUnknown ? unknownCustomerId : customerIds[place % customerIds.length],
    meterId: meterIds[place % meterIds.length],
    quantity: '12.5',
    timestamp: time,
    eventId: `${run}-${'0'.repeat(numberWidth)}${String(place).padStart(placeWidth, '0')}`,
  };
}

function isRepeated(place: number, { isDirty = false }: BatchShape): boolean {
  return isDirty && place % repeatedEvery === 0;
}
