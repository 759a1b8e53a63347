/** Chance that can be had again: the same seed gives the same numbers (sfc32 by Chris Doty-Humphrey). */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** Texts that differ give numbers that have nothing to do with each other. */
  constructor(private readonly seed: string) {
    [this.a, this.b, this.c] = [hash(`${seed}/a`), hash(`${seed}/b`), hash(`${seed}/c`)];
    for (let turn = 0; turn < warmUps; turn += 1) this.next();
  }

  /** A stream of its own, so that what is drawn here moves nothing there. */
  fork(name: string): Random {
    return new Random(`${this.seed}/${name}`);
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(things: readonly T[]): T {
    const thing = things[this.whole(0, things.length - 1)];
    if (thing === undefined) throw new Error('Nothing to pick from');
    return thing;
  }

  shuffled<T>(things: readonly T[]): T[] {
    const left = [...things];
    return things.flatMap(() => left.splice(this.whole(0, left.length - 1), 1));
  }

  /**
   * A deck that is shuffled anew whenever it runs out: each kind of card comes as often as it should, in few draws too, which chance
   * alone would not give.
   */
  deck<T>(cards: readonly T[]): () => T {
    let left: T[] = [];
    return () => {
      if (left.length === 0) left = this.shuffled(cards);
      return left.pop() ?? this.pick(cards);
    };
  }
}

// The author's own number of rounds until no trace of the seed is left.
const warmUps = 12;

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value | 0;
}
