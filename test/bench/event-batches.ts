import { randomBytes } from 'node:crypto';

/** What the events of a batch are of. */
export interface BatchShape {
  readonly size: number;
  readonly customerIds: readonly string[];
  readonly meterIds: readonly string[];
  /** Every tenth event repeats one of before, and every hundredth is of an unknown customer. */
  readonly isDirty?: boolean;
}

const numberWidth = 9;
const placeWidth = 3;
const repeatedEvery = 10;
const unknownEvery = 100;
const unknownAt = 5;
const nobody = '00000000-0000-7000-8000-000000000000';

/** Makes batches of usage events as fast as they can be sent: one text, in which only a number and a time change from batch to batch. */
export class EventBatches {
  private readonly body: Buffer;
  /** Where the number of the batch stands in the id of each event that is new, and where its time. */
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

  /** The bytes of one batch, of `now`. No two numbers share an event, but for those that are repeated. */
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
    customerId: isUnknown ? nobody : customerIds[place % customerIds.length],
    meterId: meterIds[place % meterIds.length],
    quantity: '12.5',
    timestamp: time,
    eventId: `${run}-${'0'.repeat(numberWidth)}${String(place).padStart(placeWidth, '0')}`,
  };
}

function isRepeated(place: number, { isDirty = false }: BatchShape): boolean {
  return isDirty && place % repeatedEvery === 0;
}
