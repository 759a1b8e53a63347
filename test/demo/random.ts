/**
 * Reproducible random numbers: the same seed gives the same numbers (sfc32 by Chris Doty-Humphrey).
 */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** Different texts give uncorrelated numbers. */
  constructor(private readonly seed: string) {
    [this.a, this.b, this.c] = [hash(`${seed}/a`), hash(`${seed}/b`), hash(`${seed}/c`)];
    for (let turn = 0; turn < warmUps; turn += 1) this.next();
  }

  /** An independent stream: draws from it do not affect this one. */
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

  /** An integer, both ends included. */
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
   * A deck that is reshuffled when it is used up: each kind of card occurs at its exact frequency
   * even in few draws.
   */
  deck<T>(cards: readonly T[]): () => T {
    let left: T[] = [];
    return () => {
      if (left.length === 0) left = this.shuffled(cards);
      return left.pop() ?? this.pick(cards);
    };
  }
}

// The author's number of rounds until no trace of the seed is left.
const warmUps = 12;

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value | 0;
}
