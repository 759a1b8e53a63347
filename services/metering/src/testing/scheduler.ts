/** Sequence of random numbers that its seed determines. */
export function randomOf(seed: number): (below: number) => number {
  let state = (seed + 1) * 2_654_435_761;
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((((mixed ^ (mixed >>> 14)) >>> 0) * below) / 4_294_967_296) | 0;
  };
}

/** Order in which actors take their steps. */
export interface Turns {
  /** Resolves when the actor may take its next step. */
  pause(actor: string): Promise<void>;
  /** Runs a write when it is the actor's turn. */
  write<T>(actor: string, effect: () => T): Promise<T>;
}

/** Each step is taken at once. */
export const immediateTurns: Turns = {
  pause: () => Promise.resolve(),
  write: (_actor, effect) => Promise.resolve(effect()),
};

interface Step {
  readonly actor: string;
  readonly take: () => void;
}

/**
 * Lets actors take their steps one at a time, in an order that a seed determines. An actor that has
 * crashed takes no further step.
 */
export class Scheduler implements Turns {
  private readonly ready: Step[] = [];
  private readonly lateEffects: (() => void)[] = [];
  private readonly crashed = new Set<string>();
  private failure: Error | undefined;

  constructor(
    readonly random: (below: number) => number,
    /** Number of writes that take effect late, one in how many is chosen, and how late they are. */
    private readonly late: { left: number; readonly odds: number; readonly steps: number },
  ) {}

  /** Resolves when the actor may take its next step; never once it has crashed. */
  pause(actor: string): Promise<void> {
    return new Promise((resolve) => {
      if (!this.crashed.has(actor)) this.ready.push({ actor, take: resolve });
    });
  }

  /** Takes effect now, or also at any later time: the sender hears nothing, and repeats. */
  async write<T>(actor: string, effect: () => T): Promise<T> {
    await this.pause(actor);
    while (this.late.left > 0 && this.random(this.late.odds) === 0) {
      this.late.left -= 1;
      this.lateEffects.push(effect);
      await this.pause(actor);
    }
    return effect();
  }

  /** Runs an actor; its failure ends the run. */
  start(run: () => Promise<void>): void {
    run().catch((error: unknown) => {
      this.failure ??= new Error('An actor failed', { cause: error });
    });
  }

  crash(actor: string): void {
    this.crashed.add(actor);
    for (let index = this.ready.length - 1; index >= 0; index -= 1) {
      if (this.ready[index]?.actor === actor) this.ready.splice(index, 1);
    }
  }

  /** Takes one step; false if there is none. */
  async step(): Promise<boolean> {
    const isLate = this.ready.length === 0 || this.random(this.late.steps) === 0;
    const choice = this.random(this.ready.length + (isLate ? this.lateEffects.length : 0));
    const [step] = this.ready.splice(choice, 1);
    if (step !== undefined) step.take();
    else {
      const [effect] = this.lateEffects.splice(choice - this.ready.length, 1);
      if (effect === undefined) return false;
      effect();
    }
    // All work between two steps runs in microtasks.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    if (this.failure !== undefined) throw this.failure;
    return true;
  }

  get hasLateWrites(): boolean {
    return this.lateEffects.length > 0;
  }
}
